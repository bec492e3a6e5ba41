"""kill -9 at random moments of uploads into a bucket, whose service does not answer now and then."""

from deep.faults.files import check_bucket as check

__all__ = ["check"]
