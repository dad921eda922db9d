# shellcheck shell=bash disable=SC2034 # read by the file that sources this one
# >>> GENERATED from targets.d: edit the descriptors there, not this file
case ${1-} in
async-inference|async) _TARGET_RECORD='async-inference ASYNC InService sagemaker-endpoint async none yes sagemaker-ic';;
batch-transform|batch) _TARGET_RECORD='batch-transform BATCH Completed sagemaker-job job none no sagemaker-ic';;
eks) _TARGET_RECORD='eks EKS Running kubernetes pod deployment no kubernetes benchmark adapter';;
hyperpod-eks|hyperpod) _TARGET_RECORD='hyperpod-eks HP Running kubernetes pod inference-endpoint-config yes kubernetes benchmark optimize adapter draft';;
realtime-inference|managed-inference|realtime) _TARGET_RECORD='realtime-inference SMAI InService sagemaker-endpoint component none yes sagemaker-ic benchmark optimize adapter add-ic ci';;
*) _TARGET_NAMES='async-inference batch-transform eks hyperpod-eks realtime-inference'; return 1;;
esac
# <<< END GENERATED
