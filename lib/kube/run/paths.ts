/** Where the run's container finds what is mounted into it. */

/** Where clients in a cluster look for their token, the cluster's CA and the namespace. */
export const API_ACCESS_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

export const KUBECONFIG_FOLDER = '/etc/crucible/kubeconfig';
const KUBECONFIG_KEY = 'config';
export const KUBECONFIG_FILE = `${KUBECONFIG_FOLDER}/${KUBECONFIG_KEY}`;

/** The key that a Secret of type kubernetes.io/dockerconfigjson has. */
export const AUTHFILE_KEY = '.dockerconfigjson';
export const AUTHFILE_NAME = 'auth.json';
export const PULL_AUTH_FOLDER = '/etc/crucible/pull-auth';
export const PULL_AUTHFILE = `${PULL_AUTH_FOLDER}/${AUTHFILE_NAME}`;
export const PUSH_AUTH_FOLDER = '/etc/crucible/push-auth';
export const PUSH_AUTHFILE = `${PUSH_AUTH_FOLDER}/${AUTHFILE_NAME}`;

export const PRIOR_CANDIDATE_FOLDER = '/etc/crucible/prior-candidate';

/** Tokens for others than the cluster's API, each bound to its audience. */
export const IDENTITY_FOLDER = '/var/run/secrets/crucible';
export const AWS_TOKEN_FILE = `${IDENTITY_FOLDER}/aws-token`;
export const INGEST_TOKEN_FILE = `${IDENTITY_FOLDER}/ingest-token`;

/** Where the sandbox runtime and builds keep their layers. */
export const BUILD_STORAGE_FOLDER = '/var/lib/containers';

/** Where the init container sees the delivered pack. */
export const PACK_FOLDER = '/pack';
