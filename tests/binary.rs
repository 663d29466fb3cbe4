//! The real binary, from its arguments and standard input to its output and exit code. Models are scripted, on real sockets.

mod commands;
mod crash;
mod demo;
mod history;
mod input;
mod interrupt;
mod json;
mod ledger;
mod pipe;
mod processes;
mod serve;
mod start;
mod telegram;
mod tools;
