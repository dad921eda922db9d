/** What every serving container has in common, whatever its engine: the contract of `serve` in the project's image. */

/** Port that it listens on. */
export const SERVING_PORT = 8080;
/** Answers 200 once the model is loaded. */
export const PING_PATH = '/ping';
/** Takes requests. */
export const INVOCATION_PATH = 'invocations';
/** Weights in this folder are served before any other. */
export const MODEL_FOLDER = '/opt/ml/model';
