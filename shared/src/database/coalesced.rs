//! Coalesced questions: questions that arrive while a batch is running wait and form the next batch.
//!
//! There is no timer: a batch begins once no task that is ready to run adds another question, so a
//! lone question is asked at once. Equal questions are asked once. Questions of different groups do
//! not share batches, nor wait for each other.
//!
//! Nothing is cached: every answer comes from a batch that *began after its question arrived*. If a
//! batch fails, all its questions fail.

use crate::database::waits::WAITS;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use thiserror::Error;
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout};

/// Different questions of a group that wait. More callers than this are refused.
const WAITING_MAX: usize = 4096;
/// What a caller waits in addition to both time limits, so that every answer reaches its callers.
const MARGIN: Duration = Duration::from_secs(1);

/// Limits of batches.
#[derive(Clone, Copy, Debug)]
pub struct BatchLimits {
    /// Different questions in a batch.
    pub questions_max: usize,
    /// How long a question waits for its batch. One that has waited longer is not asked.
    pub queue_time_max: Duration,
    /// Time limit of a batch: a database or server that fell silent must not keep the others
    /// waiting.
    pub batch_time_max: Duration,
}

impl BatchLimits {
    /// Returns the limits for questions that change nothing.
    pub const fn of_reads(questions_max: usize) -> Self {
        let queue_time_max = Duration::from_secs(5);
        Self { questions_max, queue_time_max, batch_time_max: Duration::from_secs(5) }
    }
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unanswered {
    /// Too many questions were waiting, or this one for too long: it was not asked.
    #[error("too many questions are waiting")]
    Overloaded,
    /// The answer took too long. The question may have been asked.
    #[error("the answer took too long")]
    TimedOut,
    /// The batch panicked.
    #[error("the batch of questions panicked")]
    Panicked,
}

/// Answers a group's batch of questions, in their order.
type AnswerBatch<Q, A, G> = dyn Fn(G, Vec<Q>) -> BoxFuture<'static, Vec<A>> + Send + Sync;
type Answer<A> = Result<A, Unanswered>;
/// Callers who wait for the same answer.
type Callers<A> = Vec<oneshot::Sender<Answer<A>>>;

/// Asks questions in batches.
pub struct Coalesced<Q, A, G = ()>(Arc<Batches<Q, A, G>>);

struct Batches<Q, A, G> {
    answer: Box<AnswerBatch<Q, A, G>>,
    limits: BatchLimits,
    /// The queues of those groups for which a task is asking batch after batch. More tasks would
    /// only make batches smaller.
    queues: Mutex<HashMap<G, Queue<Q, A>>>,
}

struct Queue<Q, A> {
    /// Questions that wait, oldest first, and since when.
    order: VecDeque<(Q, Instant)>,
    waiting: HashMap<Q, Callers<A>>,
}

impl<Q, A> Default for Queue<Q, A> {
    fn default() -> Self {
        Self { order: VecDeque::new(), waiting: HashMap::new() }
    }
}

impl<Q, A> Coalesced<Q, A>
where
    Q: Clone + Eq + Hash + Send + Sync + 'static,
    A: Clone + Send + 'static,
{
    /// Returns a coalescer of questions that `answer` answers, in their order.
    pub fn new<F: Future<Output = Vec<A>> + Send + 'static>(
        limits: BatchLimits,
        answer: impl Fn(Vec<Q>) -> F + Send + Sync + 'static,
    ) -> Self {
        Self::grouped(limits, move |(), questions| answer(questions))
    }

    /// Returns the answer to a question, as [`Self::ask_in`] does.
    pub async fn ask(&self, question: Q) -> Answer<A> {
        self.ask_in((), question).await
    }
}

impl<Q, A, G> Coalesced<Q, A, G>
where
    Q: Clone + Eq + Hash + Send + Sync + 'static,
    A: Clone + Send + 'static,
    G: Clone + Eq + Hash + Send + Sync + 'static,
{
    /// Returns a coalescer of questions that `answer` answers, each group's in their order.
    pub fn grouped<F: Future<Output = Vec<A>> + Send + 'static>(
        limits: BatchLimits,
        answer: impl Fn(G, Vec<Q>) -> F + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Batches {
            answer: Box::new(move |group, questions| answer(group, questions).boxed()),
            limits,
            queues: Mutex::default(),
        }))
    }

    /// Returns the answer of a batch that begins from now on. The batch runs in its own task: a
    /// caller who disconnects does not cancel it for the others.
    pub async fn ask_in(&self, group: G, question: Q) -> Answer<A> {
        let BatchLimits { queue_time_max, batch_time_max, .. } = self.0.limits;
        let wait_max = queue_time_max + batch_time_max + MARGIN;
        match timeout(wait_max, self.join(group, question)?).await {
            Ok(answer) => answer.unwrap_or(Err(Unanswered::Panicked)),
            Err(_) => Err(Unanswered::TimedOut),
        }
    }

    fn join(&self, group: G, question: Q) -> Result<oneshot::Receiver<Answer<A>>, Unanswered> {
        let (sender, receiver) = oneshot::channel();
        match self.0.queues().entry(group) {
            Entry::Occupied(mut queue) => queue.get_mut().push(question, sender)?,
            Entry::Vacant(place) => {
                tokio::spawn(Arc::clone(&self.0).run(place.key().clone()));
                place.insert(Queue::default()).push(question, sender)?;
            }
        }
        Ok(receiver)
    }
}

impl<Q: Clone + Eq + Hash, A> Queue<Q, A> {
    fn push(&mut self, question: Q, caller: oneshot::Sender<Answer<A>>) -> Result<(), Unanswered> {
        if let Some(callers) = self.waiting.get_mut(&question) {
            if callers.len() == callers.capacity() {
                callers.retain(|caller| !caller.is_closed());
            }
            callers.push(caller);
            return Ok(());
        }
        if self.order.len() >= WAITING_MAX {
            self.forget_abandoned();
        }
        if self.order.len() >= WAITING_MAX {
            return Err(Unanswered::Overloaded);
        }
        self.order.push_back((question.clone(), Instant::now()));
        self.waiting.insert(question, vec![caller]);
        Ok(())
    }

    /// Removes questions whose callers have all gone.
    fn forget_abandoned(&mut self) {
        let Self { order, waiting, .. } = self;
        order.retain(|(question, _)| {
            let is_awaited =
                waiting.get(question).is_some_and(|it| it.iter().any(|caller| !caller.is_closed()));
            if !is_awaited {
                waiting.remove(question);
            }
            is_awaited
        });
    }
}

impl<Q: Clone + Eq + Hash, A: Clone, G: Clone + Eq + Hash> Batches<Q, A, G> {
    fn queues(&self) -> MutexGuard<'_, HashMap<G, Queue<Q, A>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks batch after batch until no question of the group waits.
    async fn run(self: Arc<Self>, group: G) {
        loop {
            self.gather(&group).await;
            let Some((questions, waiting)) = self.next_batch(&group) else { return };
            let (count, group) = (questions.len(), group.clone());
            let batch =
                AssertUnwindSafe(async { (self.answer)(group, questions).await }).catch_unwind();
            let answers = match timeout(self.limits.batch_time_max, batch).await {
                Ok(Ok(answers)) => answers.into_iter().map(Ok).collect(),
                Ok(Err(_)) => vec![Err(Unanswered::Panicked); count],
                Err(_) => vec![Err(Unanswered::TimedOut); count],
            };
            for (answer, mut callers) in answers.into_iter().zip(waiting) {
                let last = callers.pop();
                // Those that have gone need no answer.
                for caller in callers {
                    let _ = caller.send(answer.clone());
                }
                let _ = last.map(|caller| caller.send(answer));
            }
        }
    }

    /// Lets tasks that are ready run, until none of them has added a question. Larger batches cost
    /// less per question.
    async fn gather(&self, group: &G) {
        let mut seen = 0;
        loop {
            let waiting = self.queues().get(group).map_or(0, |queue| queue.order.len());
            if waiting == seen || waiting >= self.limits.questions_max {
                return;
            }
            seen = waiting;
            yield_now().await;
        }
    }

    /// Takes the oldest questions and their callers; `None` ends the task.
    fn next_batch(&self, group: &G) -> Option<(Vec<Q>, Vec<Callers<A>>)> {
        let mut queues = self.queues();
        let queue = queues.get_mut(group)?;
        let (mut questions, mut waiting) = (Vec::new(), Vec::new());
        while questions.len() < self.limits.questions_max {
            let Some((question, since)) = queue.order.pop_front() else { break };
            let callers = queue.waiting.remove(&question).unwrap_or_default();
            WAITS.batch.add(since.elapsed());
            if since.elapsed() > self.limits.queue_time_max {
                for caller in callers {
                    let _ = caller.send(Err(Unanswered::Overloaded));
                }
                continue;
            }
            // Callers who have gone must not delay the others.
            if callers.iter().any(|caller| !caller.is_closed()) {
                questions.push(question);
                waiting.push(callers);
            }
        }
        if questions.is_empty() {
            queues.remove(group);
            return None;
        }
        Some((questions, waiting))
    }
}

/// Repeats the last value of a statement's list until their number is a power of two, so that the
/// statement has few texts, each of which stays prepared.
pub fn padded<T: Clone>(mut values: Vec<T>) -> Vec<T> {
    if let Some(last) = values.last().cloned() {
        values.resize(values.len().next_power_of_two(), last);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::Semaphore;

    /// Batches that count themselves, keep their questions, and end when they may. An answer is the
    /// number of its batch.
    struct Recorder {
        coalesced: Coalesced<u32, usize>,
        batches: Arc<Mutex<Vec<Vec<u32>>>>,
        may_end: Arc<Semaphore>,
    }

    impl Recorder {
        fn new(batch_max: usize) -> Self {
            let batches = Arc::new(Mutex::new(Vec::new()));
            let may_end = Arc::new(Semaphore::new(0));
            let (begun, ending) = (Arc::clone(&batches), Arc::clone(&may_end));
            let limits = BatchLimits::of_reads(batch_max);
            let coalesced = Coalesced::new(limits, move |questions: Vec<u32>| {
                let (begun, ending) = (Arc::clone(&begun), Arc::clone(&ending));
                async move {
                    let count = questions.len();
                    let number = {
                        let mut begun = begun.lock().unwrap();
                        begun.push(questions);
                        begun.len()
                    };
                    ending.acquire().await.expect("open").forget();
                    vec![number; count]
                }
            });
            Self { coalesced, batches, may_end }
        }

        fn ask(&self, question: u32) -> tokio::task::JoinHandle<Answer<usize>> {
            let answer = self.coalesced.join((), question).expect("a place");
            tokio::spawn(async move { answer.await.unwrap_or(Err(Unanswered::Panicked)) })
        }

        async fn begun(&self, count: usize) {
            let begun = async {
                while self.batches.lock().unwrap().len() < count {
                    tokio::task::yield_now().await;
                }
            };
            timeout(Duration::from_secs(10), begun).await.expect("the batches began");
        }
    }

    #[tokio::test]
    async fn an_answer_is_of_a_batch_that_began_after_its_question_arrived() {
        let recorder = Recorder::new(64);
        let first = recorder.ask(1);
        recorder.begun(1).await;
        // The rest waits for the next batch, equal questions together.
        let others: Vec<_> = (0..1000).map(|number| recorder.ask(number % 10)).collect();
        recorder.may_end.add_permits(2);
        assert_eq!(first.await.unwrap(), Ok(1));
        for other in others {
            assert_eq!(other.await.unwrap(), Ok(2));
        }
        let asked = recorder.batches.lock().unwrap().clone();
        assert_eq!(asked, [vec![1], (0..10).collect()]);
        recorder.may_end.add_permits(1);
        assert_eq!(recorder.ask(1).await.unwrap(), Ok(3), "nothing is cached");
        assert!(recorder.coalesced.0.queues().is_empty(), "answered are forgotten");
    }

    #[tokio::test]
    async fn groups_share_no_batches_and_do_not_wait_for_each_other() {
        let silent = Arc::new(Semaphore::new(0));
        let may_end = Arc::clone(&silent);
        let coalesced = Coalesced::grouped(
            BatchLimits::of_reads(64),
            move |group: &'static str, questions: Vec<u32>| {
                let may_end = Arc::clone(&may_end);
                async move {
                    if group == "silent" {
                        may_end.acquire().await.expect("open").forget();
                    }
                    vec![(group, questions.clone()); questions.len()]
                }
            },
        );
        let unanswered = coalesced.join("silent", 1).expect("a place");
        let answers = tokio::join!(
            coalesced.ask_in("one", 1),
            coalesced.ask_in("other", 1),
            coalesced.ask_in("one", 2),
        );
        assert_eq!(answers.0, Ok(("one", vec![1, 2])));
        assert_eq!(answers.1, Ok(("other", vec![1])));
        assert_eq!(answers.2, Ok(("one", vec![1, 2])));
        silent.add_permits(1);
        assert_eq!(unanswered.await.unwrap(), Ok(("silent", vec![1])));
    }

    #[tokio::test]
    async fn a_batch_has_at_most_so_many_questions_and_the_rest_is_the_next_one() {
        let recorder = Recorder::new(4);
        let all: Vec<_> = (0..10).map(|number| recorder.ask(number)).collect();
        recorder.may_end.add_permits(10);
        for one in all {
            assert!(one.await.unwrap().is_ok());
        }
        let sizes: Vec<usize> = recorder.batches.lock().unwrap().iter().map(Vec::len).collect();
        assert_eq!(sizes, [4, 4, 2]);
    }

    #[tokio::test]
    async fn more_questions_than_may_wait_are_refused() {
        let recorder = Recorder::new(1);
        let in_flight = recorder.ask(0);
        recorder.begun(1).await;
        let waiting: Vec<_> = (0..WAITING_MAX as u32).map(|number| recorder.ask(number)).collect();
        let refused = recorder.coalesced.ask(u32::MAX).await;
        assert_eq!(refused, Err(Unanswered::Overloaded));
        recorder.may_end.add_permits(WAITING_MAX + 1);
        for answered in [in_flight].into_iter().chain(waiting) {
            assert!(answered.await.unwrap().is_ok());
        }
    }

    #[tokio::test]
    async fn questions_of_callers_who_have_gone_are_not_asked_and_take_no_places() {
        let recorder = Recorder::new(64);
        let in_flight = recorder.ask(1);
        recorder.begun(1).await;
        for number in 0..WAITING_MAX as u32 {
            drop(recorder.coalesced.join((), number).expect("a place"));
        }
        for _ in 0..10_000 {
            drop(recorder.coalesced.join((), 7).expect("a place"));
        }
        let callers = recorder.coalesced.0.queues()[&()].waiting[&7].len();
        assert!(callers < 10, "{callers} callers who have gone are kept");
        let honest = recorder.ask(u32::MAX);
        recorder.may_end.add_permits(2);
        assert_eq!(in_flight.await.unwrap(), Ok(1));
        assert_eq!(honest.await.unwrap(), Ok(2));
        assert_eq!(recorder.batches.lock().unwrap()[1], [u32::MAX]);
    }

    #[tokio::test]
    async fn a_batch_that_panics_fails_its_questions_and_no_later_ones() {
        let tries = AtomicUsize::new(0);
        let limits = BatchLimits::of_reads(64);
        let coalesced = Coalesced::new(limits, move |questions: Vec<u32>| {
            let first = tries.fetch_add(1, Ordering::SeqCst) == 0;
            async move {
                assert!(!first, "on purpose");
                questions
            }
        });
        let (one, two) = tokio::join!(coalesced.ask(1), coalesced.ask(2));
        assert_eq!((one, two), (Err(Unanswered::Panicked), Err(Unanswered::Panicked)));
        assert_eq!(coalesced.ask(3).await, Ok(3));
        assert!(coalesced.0.queues().is_empty(), "its task has ended");
    }

    #[tokio::test]
    async fn a_batch_that_never_ends_is_given_up() {
        let mut recorder = Recorder::new(64);
        let batches = Arc::get_mut(&mut recorder.coalesced.0).expect("not shared yet");
        batches.limits.batch_time_max = Duration::from_millis(50);
        let silent = recorder.ask(1);
        assert_eq!(silent.await.unwrap(), Err(Unanswered::TimedOut));
        recorder.may_end.add_permits(1);
        assert_eq!(recorder.ask(1).await.unwrap(), Ok(2));
    }
    #[tokio::test]
    async fn a_question_that_has_waited_too_long_is_not_asked() {
        let mut recorder = Recorder::new(64);
        let batches = Arc::get_mut(&mut recorder.coalesced.0).expect("not shared yet");
        batches.limits.queue_time_max = Duration::from_secs(1);
        let in_flight = recorder.ask(1);
        recorder.begun(1).await;
        let late = recorder.ask(2);
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        let in_time = recorder.ask(3);
        recorder.may_end.add_permits(2);
        assert_eq!(in_flight.await.unwrap(), Ok(1));
        assert_eq!(late.await.unwrap(), Err(Unanswered::Overloaded));
        assert_eq!(in_time.await.unwrap(), Ok(2));
        assert_eq!(recorder.batches.lock().unwrap()[1], [3]);
    }
}
