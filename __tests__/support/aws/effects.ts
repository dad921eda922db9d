import type { Containers } from './containers.js';
import type { LogWriter } from './logs.js';
import type { MotoClient } from './moto-client.js';
import type { S3Objects } from './objects.js';

/** What SageMaker does outside of itself: objects in S3, logs, notifications, and the model's container. */
export interface Effects {
  moto: MotoClient;
  objects: S3Objects;
  logs: LogWriter;
  containers: Containers;
}
