# shellcheck shell=bash
# Settings without which nothing can be deployed. A dry run says that they are missing and goes on with a stand-in, so that
# it shows the calls of a project that is not quite ready.

. "$DO_DIR/lib/messages.sh"

# _need_setting VARIABLE STAND_IN WHY NEXT - 1 after saying that the setting is empty
_need_setting() {
  if [[ -n ${!1:-} ]]; then return 0; fi
  if [[ ${DRY_RUN:-} == yes ]]; then
    _warn "$1 is not set yet: $3; shown as $2"
    export "$1=$2"
    return 0
  fi
  _failure "$1 is not set" "$3" "$4"
  return 1
}

# What stands for an image in a dry run: a reference as good as any.
_IMAGE_STAND_IN=image-not-set-yet

_need_image() {
  _need_setting ECR_IMAGE_URI "$_IMAGE_STAND_IN" 'it names the image to deploy' \
    'push the image, then: do/lib/config-store.sh set ECR_IMAGE_URI REPOSITORY@sha256:DIGEST'
}
