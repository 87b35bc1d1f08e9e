//! The list of properties, once, as a table and as tests.

use super::harness::Harness;
use super::{
    atomicity, breakers, consistency, damage, dead_letters, due, fencing, history, items, large, messages,
    model, namespaces, recovery, requests, sessions, tasks, visibility,
};

/// Something that is true of every store.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// `topic::claim`.
    pub name: &'static str,
    run: fn(&mut dyn Harness),
}

/// Expands into one `#[test]` for each property; takes the name of a `fn() -> Box<dyn Harness>` in the same module.
#[macro_export]
macro_rules! store_conformance {
    ($make:ident) => {
        $crate::store_conformance! { @list tests $make }
    };
    (@list $how:ident $make:ident) => {
        $crate::store_conformance! { @$how $make;
            atomicity:
                a_refused_transition_leaves_nothing,
                the_others_in_a_group_commit,
                a_transition_builds_on_the_one_before_it_in_its_group,
                every_write_can_be_read_back_and_undone,
                deleting_what_is_not_there_is_no_error,
                writes_are_applied_in_order,
                an_empty_group_changes_nothing;
            consistency:
                events_follow_without_a_gap,
                a_head_and_its_history_change_together,
                a_head_tells_the_truth_about_its_history,
                rows_name_the_shard_they_stand_in;
            fencing:
                another_epoch_is_refused,
                a_shard_without_an_owner_takes_nothing,
                an_ended_session_commits_nothing,
                a_session_that_overslept_goes_on,
                of_two_claimers_one_wins,
                of_many_claimers_at_once_one_wins,
                an_epoch_rises_by_exactly_one,
                only_a_live_session_claims,
                giving_up_what_is_not_ones_own_changes_nothing;
            sessions:
                ids_are_never_given_out_twice,
                a_lease_lapses_by_the_clock_of_the_store,
                renewing_moves_the_end,
                an_ended_session_cannot_be_renewed,
                a_lapsed_session_that_nobody_ended_can_be_renewed;
            history:
                every_length_pages_whole,
                a_long_history_pages_whole,
                a_page_begins_with_the_record_that_holds_the_event,
                records_of_other_runs_and_shards_do_not_show,
                a_loaded_history_is_proved_whole;
            due:
                keys_come_in_order_of_time_and_run,
                a_page_goes_on_behind_its_last_key,
                until_is_included,
                a_deleted_key_is_gone,
                shards_do_not_mix;
            items:
                rows_come_in_order_of_their_event,
                a_row_is_replaced_and_removed;
            tasks:
                the_oldest_are_claimed_first,
                no_two_claims_get_the_same_task,
                a_claim_ends_with_its_session,
                a_released_task_can_be_claimed_again,
                only_the_claimer_releases,
                a_session_that_has_ended_gets_nothing,
                queues_do_not_mix;
            messages:
                those_of_one_sender_come_in_order,
                a_lower_number_that_comes_late_is_seen,
                a_message_lies_in_the_shard_of_its_receiver,
                a_mailbox_is_read_in_order_from_a_number_on;
            requests:
                the_outcome_is_found_by_workflow_and_request,
                long_ids_are_told_apart;
            visibility:
                every_row_is_on_exactly_one_page,
                rows_come_newest_first,
                filters_restrict,
                a_changed_row_shows_its_new_state,
                paging_bears_starts_meanwhile;
            dead_letters:
                every_row_is_on_exactly_one_page_in_order,
                a_row_is_found_replaced_and_removed;
            breakers:
                every_breaker_is_on_exactly_one_page,
                only_a_newer_record_replaces_one;
            recovery:
                everything_is_there_after_reopening,
                the_highest_time_is_remembered,
                epochs_are_remembered,
                sessions_are_as_the_store_says,
                work_goes_on_after_reopening;
            large:
                a_transition_of_many_keys_stays_whole,
                a_group_of_many_transitions_is_stored_in_order,
                large_history_records_come_back_whole,
                a_row_grows_and_shrinks_without_remains,
                every_size_around_the_edges_comes_back;
            namespaces:
                nothing_of_another_namespace_shows,
                owners_and_sessions_are_kept_apart;
            damage:
                a_damaged_row_is_an_error_not_a_gap,
                a_damaged_head_refuses_its_run_only;
            model:
                random_operations_agree_with_the_model,
        }
    };
    (@tests $make:ident; $($topic:ident: $($property:ident),+ $(,)?);+) => {
        $(mod $topic {
            $(#[test]
            fn $property() {
                let name = concat!(stringify!($topic), "::", stringify!($property));
                $crate::conformance::check(name, &mut *super::$make());
            })+
        })+
    };
    (@table $make:ident; $($topic:ident: $($property:ident),+ $(,)?);+) => {
        &[$($(Property {
            name: concat!(stringify!($topic), "::", stringify!($property)),
            run: $topic::$property,
        },)+)+]
    };
}

/// All properties.
pub const PROPERTIES: &[Property] = crate::store_conformance!(@list table none);

/// Checks one property, by its name, on a fresh store.
///
/// # Panics
///
/// If the store does not have the property, or there is none of that name.
pub fn check(name: &str, harness: &mut dyn Harness) {
    match PROPERTIES.iter().find(|property| property.name == name) {
        Some(property) => (property.run)(harness),
        None => panic!("there is no property `{name}`"),
    }
}

/// Checks every property, each on a fresh store.
///
/// # Panics
///
/// If the store does not have one of them.
pub fn run_all(make: &dyn Fn() -> Box<dyn Harness>) {
    for property in PROPERTIES {
        (property.run)(&mut *make());
    }
}
