//! A program in its own pseudo-terminal: it gets real key presses, and what it draws is kept as the
//! screen that a person would see.

use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long the program may take to show an expected text.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Wide enough that no line is wrapped.
const ROWS: NonZero<u16> = NonZero::new(200).expect("not zero");
const COLUMNS: NonZero<u16> = NonZero::new(400).expect("not zero");
/// The escape sequence with which a program asks for the cursor's position.
const CURSOR_POSITION_QUERY: &[u8] = b"\x1b[6n";

/// Keys that are not characters.
pub mod keys {
    pub const ENTER: &str = "\r";
    pub const DOWN: &str = "\x1b[B";
    /// Deletes the text left of the cursor, to the beginning of the line.
    pub const CLEAR: &str = "\x15";
    pub const BACKSPACE: &str = "\x7f";
    /// Interrupts the program.
    pub const CTRL_C: &str = "\x03";
    /// Escape.
    pub const ESC: &str = "\x1b";
}

/// The terminal and the program in it.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Arc<Mutex<Box<dyn Write + Send>>>,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Terminal {
    /// Starts a program, with these environment variables in addition to those of this process.
    pub fn start(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let (rows, cols) = (ROWS.get(), COLUMNS.get());
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("a process");
        let reader = pair.master.try_clone_reader().expect("a screen");
        let keyboard = Arc::new(Mutex::new(pair.master.take_writer().expect("a keyboard")));
        let screen = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let (drawn_screen, answering_keyboard) = (Arc::clone(&screen), Arc::clone(&keyboard));
        // The other side of the terminal lives as long as it has a reader.
        let master = pair.master;
        std::thread::spawn(move || {
            draw(reader, &drawn_screen, &answering_keyboard);
            drop(master);
        });
        Self { child, keyboard, screen }
    }

    /// Waits until this text is on the screen.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + TIMEOUT;
        while !self.screen().contains(text) {
            let ended = self.child.try_wait().expect("its state").is_some();
            if ended {
                // Its last output may still be on the way.
                sleep(Duration::from_millis(200));
            }
            let shown = self.screen().contains(text);
            assert!(
                shown || (!ended && Instant::now() < deadline),
                "no {text:?} on\n{}",
                self.screen()
            );
            sleep(Duration::from_millis(5));
        }
    }

    pub fn press(&mut self, keys: &str) {
        let mut keyboard = lock(&self.keyboard);
        keyboard.write_all(keys.as_bytes()).and_then(|()| keyboard.flush()).expect("pressed");
    }

    /// Waits for a question (answered ones have another mark), then presses keys and Return.
    #[track_caller]
    pub fn answer(&mut self, question: &str, keys: &str) {
        self.wait_for(&format!("? {question}"));
        self.press(keys);
        self.press(keys::ENTER);
    }

    /// The text on the screen.
    pub fn screen(&self) -> String {
        lock(&self.screen).screen().contents()
    }

    /// Waits until the program has ended. Returns its status and the screen.
    pub fn wait_for_end(mut self) -> (u32, String) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait().expect("its state") {
                sleep(Duration::from_millis(200));
                return (status.exit_code(), self.screen());
            }
            assert!(Instant::now() < deadline, "it does not end\n{}", self.screen());
            sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// Draws what the program writes, until it ends.
fn draw(
    mut reader: Box<dyn Read + Send>,
    screen: &Mutex<vt100::Parser>,
    keyboard: &Mutex<Box<dyn Write + Send>>,
) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = reader.read(&mut bytes) {
        let output = &bytes[..count];
        let (row, column) = {
            let mut screen = lock(screen);
            screen.process(output);
            screen.screen().cursor_position()
        };
        if output.windows(CURSOR_POSITION_QUERY.len()).any(|window| window == CURSOR_POSITION_QUERY)
        {
            let _ = write!(lock(keyboard), "\x1b[{};{}R", row + 1, column + 1);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
