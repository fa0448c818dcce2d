//! Lookups at outside seats: a person or a program looks something up before it answers, and the answer carries it.

use std::sync::Arc;

use agon_core::LookupRequest;

use super::{OutsideSeatError, OutsideSeats};
use crate::lookups::{LookupDesk, LookupSource};

impl OutsideSeats<'_> {
    /// Looks `asked` up in `source` for what the seat is asked now, and keeps it for the answer. Gives what is shown: the
    /// result, or why there is none.
    ///
    /// # Errors
    ///
    /// Where nothing is asked of the seat, or it may look nothing up.
    pub async fn look_up(
        &self,
        source: Option<Arc<dyn LookupSource>>,
        seat: &str,
        asked: LookupRequest,
    ) -> Result<String, OutsideSeatError> {
        let seat = self.find_seat(seat)?;
        let key = self.open_at(&seat, None).await?.request.key;
        let record = self.journal.read_record(self.debate)?;
        let request = record.find_request(&key).map(|(_, request)| request);
        let prompt = request.map(|request| request.prompt.as_str()).unwrap_or_default();
        let refuse = |why: &str| OutsideSeatError::Unusable(why.to_owned());
        let source = source.ok_or_else(|| refuse("nothing can be looked up in this debate"))?;
        let reach = self.protocol.manifest().lookup_reach(seat.as_str(), prompt);
        let reach = reach.ok_or_else(|| refuse("this seat looks nothing up for what it is asked now"))?;
        let tools = source.list_tools_within(reach);
        if !tools.iter().any(|tool| tool.name() == asked.tool()) {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
            return Err(refuse(&format!("{} is not offered to this seat; it has {}", asked.tool(), names.join(", "))));
        }
        let earlier = self.journal.list_pending_lookups(self.debate, &key)?;
        let desk = LookupDesk::new(source, seat, tools).with_earlier(&earlier);
        let shown = desk.look_up_request(asked).await;
        for made in desk.list_made() {
            self.journal.add_pending_lookup(self.debate, &key, made.lookup, made.text).await?;
        }
        Ok(shown)
    }
}
