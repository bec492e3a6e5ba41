/// A backup is not made, because another one is being made.
struct BackupUnderWay: Error {}
