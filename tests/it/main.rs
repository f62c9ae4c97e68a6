//! Everything the product promises, tried from outside.

mod installer;

