//! The person running a command, as named in the audit trail.

use shared::audit::{Event, EventKind};

/// Characters of an actor's name that the audit trail keeps.
const ACTOR_CHARACTERS: usize = 80;

/// An audit event with the person running this command as its actor.
pub fn event(kind: EventKind) -> Event {
    Event::new(kind).actor(&this_actor())
}

/// The person running this command, as named in the audit trail.
pub fn this_actor() -> String {
    let env_var = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    // Under sudo, the user who called it.
    let person = env_var("SUDO_USER").or_else(|| env_var("USER")).or_else(|| env_var("LOGNAME"));
    actor(person.as_deref())
}

fn actor(person: Option<&str>) -> String {
    let Some(person) = person else { return "installer".to_owned() };
    let printable = person.chars().filter(|character| !character.is_control());
    format!("installer:{}", printable.take(ACTOR_CHARACTERS).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_fits_its_column_and_has_no_control_characters() {
        assert_eq!(actor(None), "installer");
        assert_eq!(actor(Some("jo\u{1b}an")), "installer:joan");
        assert!(actor(Some(&"x".repeat(300))).chars().count() <= 100);
    }
}
