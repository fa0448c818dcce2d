//! The open requests of a record, computed without writing to it.

use agon_core::Record;
use agon_journal::Journal;
use agon_protocols::common::parallel_answers;
use agon_runtime::outside_seats::UnansweredRequest;

use crate::Refusal;

/// Every open request of a debate with its seat's model and lease, in the protocol's order; `record`
/// then holds what its script decides on it. A record that this version has no rules for, or other
/// rules, has none.
pub fn list_open_requests(journal: &Journal, record: &mut Record) -> Result<Vec<UnansweredRequest>, Refusal> {
    let Ok(protocol) = agon_protocols::find_rules(record) else { return Ok(Vec::new()) };
    let leases = journal.list_leases(&record.opened().debate)?;
    let asked = parallel_answers::advance_to_requests(protocol, record).unwrap_or_default();
    let open = asked.into_iter().filter(|request| !request.prompt.is_empty());
    Ok(open.map(|request| UnansweredRequest::new(record, request, &leases)).collect())
}
