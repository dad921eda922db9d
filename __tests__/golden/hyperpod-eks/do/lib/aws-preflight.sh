# shellcheck shell=bash
# The one check of AWS access, before a script's first call.

. "$DO_DIR/lib/messages.sh"
. "$DO_DIR/lib/aws.sh"

# _aws_preflight [--verbose] - region, AWS CLI and credentials, once per run; exports AWS_ACCOUNT_ID. Ends the script with
# exit 1 and guidance when one of them is missing. A dry run asks nothing.
_aws_preflight() {
  local who
  if [[ ${DRY_RUN:-} == yes || -n ${_AWS_PREFLIGHT_DONE:-} ]]; then return 0; fi
  if [[ -z ${AWS_REGION:-} ]]; then
    _fail 'no AWS region is set' 'AWS_REGION is empty in do/config, and so are AWS_REGION and AWS_DEFAULT_REGION in the environment' \
      'set AWS_REGION in do/config, or --set AWS_REGION=REGION'
  fi
  if ! command -v aws >/dev/null; then
    _fail 'the AWS CLI is not installed' 'there is no "aws" on the PATH' 'https://docs.aws.amazon.com/cli/'
  fi
  if [[ ${1:-} == --verbose ]]; then _step 'Checking AWS credentials'; fi
  if ! _aws sts get-caller-identity --query '[Account,Arn]' --output text; then
    _aws_failed 'the AWS credentials do not work'
    _info 'An IAM role is better than long-lived keys: aws sso login, an instance profile, or a role in ~/.aws/config.'
    exit 1
  fi
  IFS=$' \t' read -r AWS_ACCOUNT_ID who <<<"$_AWS_OUT"
  if [[ ! $AWS_ACCOUNT_ID =~ ^[0-9]{12}$ ]]; then
    _fail 'AWS did not say which account this is' "aws sts get-caller-identity gave \"$_AWS_OUT\"" \
      'aws sts get-caller-identity, and sign in again'
  fi
  export AWS_ACCOUNT_ID
  _AWS_PREFLIGHT_DONE=yes
  if [[ ${1:-} == --verbose ]]; then _success "AWS account $AWS_ACCOUNT_ID in $AWS_REGION as $who"; fi
}
