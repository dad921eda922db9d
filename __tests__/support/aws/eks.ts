import type { MotoClient } from './moto-client.js';
import { type Answer, answer } from './protocol/answer.js';

/** Where an EKS cluster's API server is. */
export interface ClusterAccess {
  /** `https://127.0.0.1:PORT` */
  endpoint: string;
  /** The certificate in PEM that its clients trust. */
  certificateAuthority: string;
}

/** EKS clusters in the emulator that lead to API servers of the tests. */
export class EksClusters {
  #access = new Map<string, ClusterAccess>();

  constructor(readonly moto: MotoClient) {}

  /** Creates a cluster whose API server is there. */
  async add(region: string, name: string, access: ClusterAccess): Promise<void> {
    const body = JSON.stringify({
      name,
      roleArn: 'arn:aws:iam::123456789012:role/eks',
      resourcesVpcConfig: {},
    });
    const { status, body: text } = await this.moto.rest('eks', 'POST', '/clusters', body, region);
    if (status >= 300) throw new Error(`the EKS cluster ${name} cannot be created: ${text}`);
    this.#access.set(name, access);
  }

  clear(): void {
    this.#access.clear();
  }

  /** The emulator's answer to DescribeCluster, with the way to the real API server in it. */
  describe({ status, headers, body }: Answer): Answer {
    if (status !== 200) return { status, headers, body };
    const { cluster } = JSON.parse(body.toString('utf8')) as { cluster: { name: string } };
    const access = this.#access.get(cluster.name);
    if (!access) return { status, headers, body };
    const data = Buffer.from(access.certificateAuthority).toString('base64');
    const changed = {
      ...cluster,
      status: 'ACTIVE',
      endpoint: access.endpoint,
      certificateAuthority: { data },
    };
    const { 'content-length': _, ...kept } = headers;
    return answer(status, kept, JSON.stringify({ cluster: changed }));
  }
}
