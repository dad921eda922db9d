# shellcheck shell=bash
# S3 addresses.

# _s3_place URI - sets _BUCKET and _KEY.
_s3_place() {
  _BUCKET=${1#s3://}
  _KEY=${_BUCKET#*/}
  if [[ $_KEY == "$_BUCKET" ]]; then _KEY=''; fi
  _BUCKET=${_BUCKET%%/*}
}
