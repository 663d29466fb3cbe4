//! Fakes, probes and faults for Cowhand's tests.
