"""Makes the files of Tests/Vectors, which the tests of several languages read."""
