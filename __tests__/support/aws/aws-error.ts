/** An error that a service answers with. */
export class AwsError extends Error {
  constructor(
    /** The service's own name of the error. */
    readonly code: string,
    message: string,
    /** The HTTP status. */
    readonly status = 400,
  ) {
    super(message);
  }
}

/** What SageMaker says to nearly everything that is not right. */
export function validationException(message: string): AwsError {
  return new AwsError('ValidationException', message);
}
