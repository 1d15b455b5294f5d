"""What a run learnt from outside, taken down so that the run can be run again (PROTOCOL section 5)."""
