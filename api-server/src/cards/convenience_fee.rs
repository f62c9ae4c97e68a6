//! Convenience fees: the most specific active rule, and its arithmetic.

use shared::amounts::{Money, OutOfRange};
use shared::entity::convenience_fee_rules::Model as Rule;

/// Returns the rule for a loan group and a card brand. A rule that names both takes precedence over
/// one that names the group, that over one that names the brand, and that over a general one. Of
/// two equal ones, the older applies.
pub fn most_specific(rules: Vec<Rule>) -> Option<Rule> {
    let rank =
        |rule: &Rule| (rule.loan_group_id.is_none(), rule.brand_type.is_none(), rule.rule_id);
    rules.into_iter().min_by_key(rank)
}

/// Returns the flat amount plus the percentage of the amount, rounded half-up to cents and kept
/// within the rule's minimum and maximum. The fee is in whole cents, because a card cannot be
/// charged a fraction of one, and never negative.
pub fn fee(rule: &Rule, amount: Money) -> Result<Money, OutOfRange> {
    let fee = rule.flat_amount.plus(amount.percent(rule.percentage)?)?;
    let fee = rule.minimum_fee.map_or(fee, |minimum| fee.max(minimum)).round_to_cents()?;
    let maximum = rule.maximum_fee.map(|maximum| Money::from_units(maximum.units() / 100 * 100));
    let fee = maximum.transpose()?.map_or(fee, |maximum| fee.min(maximum));
    Ok(fee.max(Money::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::entity::payment_gateway_tokens::BrandType;

    fn rule(rule_id: i64, group: Option<i64>, brand: Option<BrandType>) -> Rule {
        Rule {
            rule_id,
            loan_group_id: group,
            brand_type: brand,
            flat_amount: "1.00".parse().unwrap(),
            percentage: "2.5".parse().unwrap(),
            minimum_fee: None,
            maximum_fee: None,
            active_flag: true,
        }
    }

    fn money(text: &str) -> Money {
        text.parse().unwrap()
    }

    #[test]
    fn the_most_specific_rule_applies() {
        let visa = Some(BrandType::Visa);
        let chosen = |rules: &[Rule]| most_specific(rules.to_vec()).map(|rule| rule.rule_id);
        let (general, brand) = (rule(1, None, None), rule(2, None, visa));
        let (group, both) = (rule(3, Some(7), None), rule(4, Some(7), visa));
        assert_eq!(chosen(&[general.clone(), brand.clone(), group.clone(), both]), Some(4));
        assert_eq!(chosen(&[general.clone(), brand.clone(), group]), Some(3));
        assert_eq!(chosen(&[rule(9, None, None), general.clone(), brand]), Some(2));
        assert_eq!(chosen(&[rule(9, None, None), general]), Some(1));
        assert_eq!(chosen(&[]), None);
    }

    #[test]
    fn the_percentage_is_rounded_half_up_and_the_fee_kept_within_its_bounds() {
        let fee_of = |rule: &Rule, amount| fee(rule, money(amount)).unwrap().to_string();
        let plain = rule(1, None, None);
        assert_eq!(fee_of(&plain, "652.53"), "17.31");
        assert_eq!(fee_of(&plain, "0.20"), "1.01", "half a cent is rounded up");
        let limited = Rule {
            minimum_fee: Some(money("3.00")),
            maximum_fee: Some(money("10.00")),
            ..plain.clone()
        };
        assert_eq!(fee_of(&limited, "1.00"), "3.00");
        assert_eq!(fee_of(&limited, "652.53"), "10.00");
        let fractions =
            Rule { flat_amount: money("1.0050"), percentage: Default::default(), ..plain };
        assert_eq!(fee_of(&fractions, "1.00"), "1.01");
        let bounded = Rule { maximum_fee: Some(money("1.0050")), ..fractions.clone() };
        assert_eq!(fee_of(&bounded, "1.00"), "1.00", "a maximum is not passed by rounding");
        let negative = Rule { flat_amount: money("-5.00"), ..fractions };
        assert_eq!(fee_of(&negative, "1.00"), "0.00");
    }
}
