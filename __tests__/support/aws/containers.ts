/** One request that a model's container gets. */
export interface Invocation {
  kind: 'endpoint' | 'inference-component' | 'transform-job';
  /** The endpoint's, the component's or the job's name. */
  name: string;
  contentType: string;
  body: Buffer;
}

/** What the container answers. A status of 400 and more is the model's error. */
export interface Reply {
  status?: number;
  contentType?: string;
  body: string | Buffer;
}

export type Container = (invocation: Invocation) => Reply | Promise<Reply>;

/** What runs in the containers: a test sets its own. */
export class Containers {
  #container: Container = chatCompletion;

  set(container: Container): void {
    this.#container = container;
  }

  reset(): void {
    this.#container = chatCompletion;
  }

  async invoke(invocation: Invocation): Promise<{ status: number; contentType: string; body: Buffer }> {
    const { status = 200, contentType = 'application/json', body } = await this.#container(invocation);
    return { status, contentType, body: Buffer.from(body) };
  }
}

/** A chat completion that says what it was asked. */
function chatCompletion({ name, body }: Invocation): Reply {
  const content = body.toString('utf8').slice(0, 1000);
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return { body: JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', model: name, choices }) };
}
