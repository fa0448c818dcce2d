//! What one debate of an arm asks, takes and costs, by rehearsing it.

use crate::{budget_warning::USUAL_SHARE, failure::Result, model_speed::MeasuredSpeeds, opening::CheckedDebate};

/// What one debate of an arm takes on average, if no answer needs a redraft.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ArmPlan {
    /// Calls.
    pub calls: f64,
    /// Tokens of the prompts.
    pub prompt_tokens: f64,
    /// Most tokens of the answers.
    pub completion_tokens_max: f64,
    /// Cost in millionths of a dollar with answers of the greatest length; `None` where a price is not known.
    pub cost_microusd: Option<f64>,
    /// Minutes, of all calls one after the other.
    pub minutes: f64,
}

impl ArmPlan {
    /// Tokens, if answers are as long as usual.
    pub fn usual_tokens(&self) -> u64 {
        (self.prompt_tokens + self.completion_tokens_max * USUAL_SHARE).ceil() as u64
    }
}

/// The average over some debates, which are rehearsed.
pub(super) fn average_arm_plan(debates: &[CheckedDebate]) -> Result<ArmPlan> {
    let mut sum = ArmPlan { cost_microusd: Some(0.0), ..ArmPlan::default() };
    let count = debates.len().max(1) as f64;
    for debate in debates {
        let plan = debate.build_plan(&MeasuredSpeeds::default())?;
        sum.calls += plan.calls as f64 / count;
        sum.prompt_tokens += plan.prompt_tokens as f64 / count;
        sum.completion_tokens_max += plan.completion_tokens_max as f64 / count;
        sum.minutes += plan.models.iter().map(|model| model.minutes).sum::<f64>() / count;
        let costs: Option<f64> = plan.models.iter().map(|model| Some(model.cost_microusd? as f64)).sum();
        sum.cost_microusd = sum.cost_microusd.zip(costs).map(|(sum, cost)| sum + cost / count);
    }
    Ok(sum)
}
