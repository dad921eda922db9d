/** A kubeconfig (JSON is YAML) with one context, and the namespace that it starts in. */
export function kubeconfigText(options: {
  url: string;
  cert: string;
  token: string;
  context: string;
  namespace?: string;
}): string {
  const { url, cert, token, context, namespace } = options;
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: context,
          cluster: { server: url, 'certificate-authority-data': Buffer.from(cert).toString('base64') },
        },
      ],
      users: [{ name: context, user: { token } }],
      contexts: [
        { name: context, context: { cluster: context, user: context, ...(namespace && { namespace }) } },
      ],
      'current-context': context,
    },
    null,
    2,
  )}\n`;
}
