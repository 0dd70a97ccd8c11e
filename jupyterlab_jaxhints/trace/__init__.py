"""The live trace: the probe that runs in the kernel, how it gets there, and what its findings say."""
