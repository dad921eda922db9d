/**
 * Kubernetes replaces `$(NAME)` and `$$` in a container's command, arguments and variables. This writes a text so that the
 * container sees it as it is here.
 */
export function literal(text: string): string {
  return text.replace(/\$(?=[$(])/g, '$$$$');
}

/** The names that a text refers to as `$(NAME)`, by Kubernetes' rules. */
export function references(text: string): string[] {
  return [...text.matchAll(/\$\$|\$\(([^)]*)\)/g)].flatMap((match) => match[1] ?? []);
}
