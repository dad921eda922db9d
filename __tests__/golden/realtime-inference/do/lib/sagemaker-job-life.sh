# shellcheck shell=bash
# One transform job after the other. The target's deploy script says what a job is: job_fields sets _JOB, the fields of
# create-transform-job for the recorded MODEL. Records: MODEL, JOB, OUTPUT_PATH.

. "$DO_DIR/lib/sagemaker-deploy.sh"
. "$DO_DIR/lib/sagemaker-job.sh"

# _sm_run_job OUTPUT-PATH - a new job, from its model to its end; one of an earlier try that does the same and still runs
# is waited for instead.
_sm_run_job() {
  _sm_finish_earlier_job || return
  _recorded JOB
  if [[ -z $_RECORDED ]]; then
    _sm_model_fields
    _sm_ensure model MODEL job "${_SM_MODEL[@]}" || return
    _sm_start_job "$1" || return
  fi
  _recorded JOB
  _sm_wait transform-job "$_RECORDED" Completed || return
  _info "the output is in $1"
}

# One that does something else is stopped. One that has ended is history.
_sm_finish_earlier_job() {
  local job
  _recorded JOB
  job=$_RECORDED
  [[ -n $job ]] || return 0
  if [[ ${DRY_RUN:-} != yes ]]; then
    _sm_describe transform-job "$job" || return
    if _sm_is_moving; then
      if [[ $_SM_STATE == InProgress ]] && _sm_job_is_current; then
        _info "the job $job of an earlier try is still running"
        return 0
      fi
      _sm_stop_job "$job" || return
    fi
  fi
  _record JOB ''
}

_sm_job_is_current() {
  _sm_model_fields
  _sm_is_made_of model MODEL "${_SM_MODEL[@]}" || return
  job_fields || return
  _sm_is_made_of transform-job JOB ${_JOB[@]+"${_JOB[@]}"}
}

_sm_start_job() { # OUTPUT-PATH
  job_fields || return
  _aws_request_digest create-transform-job ${_JOB[@]+"${_JOB[@]}"} || return
  # The date is for people; the random part makes the name the only one.
  _sm_new_name "job-$(date -u +%y%m%d%H%M%S)" "$_DIGEST" || return
  _record OUTPUT_PATH "$1" || return
  _sm_create transform-job JOB "$_SM_NAME" ${_JOB[@]+"${_JOB[@]}"}
}
