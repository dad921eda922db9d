# shellcheck shell=bash
# Transform jobs.

. "$DO_DIR/lib/sagemaker.sh"

# _sm_stop_job NAME - stops a transform job that runs, and waits until it has.
_sm_stop_job() {
  if [[ ${DRY_RUN:-} == yes ]]; then
    printf 'aws sagemaker stop-transform-job --transform-job-name %s\n' "$1"
    return 0
  fi
  _sm_describe transform-job "$1" || return
  if [[ $_SM_STATE == InProgress ]]; then
    _announce "Stopping the transform job $1"
    if ! _aws sagemaker stop-transform-job --transform-job-name "$1"; then
      # It may have ended by itself meanwhile.
      case $_AWS_ERROR in
        not-found | validation | busy) ;;
        *)
          _aws_failed "the transform job $1 could not be stopped"
          return
          ;;
      esac
    fi
  fi
  _sm_settle transform-job "$1"
}
