# shellcheck shell=bash
# The test of a batch job: its requests are the records of its input, so what is tested is that it has answered them.

. "$DO_DIR/lib/aws-preflight.sh"
. "$DO_DIR/lib/records.sh"
. "$DO_DIR/lib/s3.sh"
. "$DO_DIR/lib/test-answer.sh"

# Records that are shown, and how much of the first file is read for them, in bytes.
_SHOWN_RECORDS=3
_SHOWN_BYTES=1048576

_test_job() {
  local job path state created tab=$'\t' found count
  _recorded JOB
  job=$_RECORDED
  _recorded OUTPUT_PATH
  path=$_RECORDED
  if [[ -z $job || -z $path ]]; then
    _fail "no job with an output path is recorded for $_TARGET" 'do/config does not say what was started' 'do/deploy'
  fi
  _aws_preflight
  _step "Reading the output of the job $job"
  if ! _aws sagemaker describe-transform-job --transform-job-name "$job" \
    --query '[TransformJobStatus,CreationTime,FailureReason]' --output text; then
    _call_failed "the state of the job $job is unknown"
    return
  fi
  IFS=$tab read -r state created found <<<"$_AWS_OUT"
  if [[ $state != Completed ]]; then
    if [[ $found == None ]]; then found=''; fi
    _failure "the job $job is $state" "$found" 'do/logs shows what the model says; do/deploy starts a new job'
    return 1
  fi
  _list_output "$job" "$path" "$created" || return
  found=${_OUTPUTS%%$'\n'*}
  count=$(printf '%s\n' "$_OUTPUTS" | grep -c .)
  _show_records "s3://$_BUCKET/$found" "$found" || return
  _success "$job has written $count file(s) below $path"
}

# JOB PATH CREATED: -> _OUTPUTS, the keys of what the job wrote, a line each. What an earlier job left there does not count.
_list_output() {
  local prefix
  _s3_place "$2"
  prefix=$_KEY
  # A prefix matches the names that only begin like the folder's, too.
  if [[ -n $prefix ]]; then prefix=${prefix%/}/; fi
  if ! _aws s3api list-objects-v2 --bucket "$_BUCKET" --prefix "$prefix" \
    --query "Contents[?ends_with(Key, '.out') && Size > \`0\`].[LastModified,Key]" --output text; then
    _call_failed "the output of the job $1 cannot be listed"
    return
  fi
  _OUTPUTS=$(printf '%s\n' "$_AWS_OUT" | python3 "$DO_DIR/lib/python/transform_output.py" since "$3") || return
  if [[ -z $_OUTPUTS ]]; then
    _failure "the job $1 has no output" "below $2 is no file of this job that holds anything" \
      'check the input path and do/logs; do/deploy starts a new job'
    return 1
  fi
}

# URI KEY: the first records of the file, to stdout; an error among them is a failure
_show_records() {
  local records=$_SCRATCH/records
  if ! _aws s3api get-object --bucket "$_BUCKET" --key "$2" --range "bytes=0-$((_SHOWN_BYTES - 1))" "$records"; then
    _call_failed "$1 cannot be read"
    return
  fi
  _info "the first records of $1:"
  python3 "$DO_DIR/lib/python/transform_output.py" records "$records" "$_SHOWN_RECORDS" "$_SHOWN_BYTES" >"$_ANSWER_FILE" || return
  if ! python3 "$DO_DIR/lib/python/transform_output.py" judge "$_ANSWER_FILE"; then
    _refuse_answer "the model answered a record of the job with an error"
    return
  fi
  cat "$_ANSWER_FILE"
}
