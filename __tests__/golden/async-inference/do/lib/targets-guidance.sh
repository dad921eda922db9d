# shellcheck shell=bash disable=SC2034 # read by the file that sources this one
# >>> GENERATED from targets.d: edit the descriptors there, not this file
_RESTRICTED_VERBS='benchmark optimize adapter add-ic draft ci' _VERB_TARGETS='' _GUIDANCE=''
case ${2-} in
  benchmark) _VERB_TARGETS='eks hyperpod-eks realtime-inference' ;;
  optimize) _VERB_TARGETS='hyperpod-eks realtime-inference' ;;
  adapter) _VERB_TARGETS='eks hyperpod-eks realtime-inference' ;;
  add-ic) _VERB_TARGETS='realtime-inference' ;;
  draft) _VERB_TARGETS='hyperpod-eks' ;;
  ci) _VERB_TARGETS='realtime-inference' ;;
esac
case ${1-}' '${2-} in
  'async-inference benchmark') _GUIDANCE='Deploy the same model to realtime-inference to measure it: do/deploy --target realtime-inference' ;;
  'async-inference optimize') _GUIDANCE='Deploy the same model to realtime-inference to measure it: do/deploy --target realtime-inference' ;;
  'batch-transform benchmark') _GUIDANCE='Deploy the same model to realtime-inference to measure it: do/deploy --target realtime-inference' ;;
  'batch-transform optimize') _GUIDANCE='Deploy the same model to realtime-inference to measure it: do/deploy --target realtime-inference' ;;
  'eks optimize') _GUIDANCE='Recommendations need a SageMaker endpoint; deploy to hyperpod-eks or realtime-inference' ;;
  'eks add-ic') _GUIDANCE='Inference components need a SageMaker endpoint; add an adapter instead: do/adapter add NAME URI' ;;
  'eks draft') _GUIDANCE='Speculative decoding settings apply to hyperpod-eks' ;;
  'eks ci') _GUIDANCE='The CI harness works on realtime-inference only' ;;
  'hyperpod-eks add-ic') _GUIDANCE='Add an adapter instead: do/adapter add NAME URI' ;;
  'hyperpod-eks ci') _GUIDANCE='The CI harness works on realtime-inference only' ;;
  'realtime-inference draft') _GUIDANCE='Speculative decoding settings apply to hyperpod-eks: do/deploy --target hyperpod-eks' ;;
esac
# <<< END GENERATED
