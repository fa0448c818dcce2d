//! The same debate by other models that can answer here, for a person to choose from.

use agon_runtime::config::full_name;

use crate::{
    available_models::AvailableModel,
    context::Context,
    cost_plan::{Plan, PlannedModel},
    model_speed::MeasuredSpeeds,
    opening::{CheckedDebate, check_request},
    request::{OpeningRequest, SeatRequest},
};

/// Models that are proposed next to the embedded one.
const CHOICES_MAX: usize = 3;

/// A debate that could be held in the place of the proposed one.
pub struct AskChoice {
    /// The model that answers where nobody is named.
    pub model: String,
    /// The request that opens it.
    pub request: OpeningRequest,
    /// The debate.
    pub checked: CheckedDebate,
    plan: Plan,
}

impl AskChoice {
    /// Its calls, cost and time, as the plan says them.
    pub fn describe_cost(&self) -> String {
        self.find_planned().map(PlannedModel::calls_and_cost).unwrap_or_default()
    }

    /// What its model is asked.
    pub fn find_planned(&self) -> Option<&PlannedModel> {
        self.plan.models.iter().find(|planned| planned.model == self.model)
    }
}

/// The debate of `request` by each of the better models of `found`; those by which it cannot be opened are left out.
pub fn list_choices(
    context: &Context,
    request: &OpeningRequest,
    found: &[AvailableModel],
    speeds: &MeasuredSpeeds,
) -> Vec<AskChoice> {
    let better = found.iter().filter(|found| found.is_better()).filter_map(|found| found.model.as_deref());
    let choices = better.filter_map(|model| {
        let seats = SeatRequest { model: Some(model.to_owned()), ..request.seats.clone() };
        let request = OpeningRequest { seats, ..request.clone() };
        let checked = check_request(context, &request).ok()?;
        let plan = checked.build_plan(speeds).ok()?;
        Some(AskChoice { model: full_name(model, &context.config), request, checked, plan })
    });
    choices.take(CHOICES_MAX).collect()
}
