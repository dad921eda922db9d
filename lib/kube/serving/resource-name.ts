/** The limit of SageMaker's names and of Kubernetes' labels. */
const LONGEST = 63;
/** A longer suffix is left out: the hash alone then tells names apart. */
const LONGEST_SUFFIX = 40;

/** Whether a project's name can begin the name of every kind of object; a Service's name starts with a letter. */
export function beginsName(project: string): boolean {
  return /^[a-z](?:-*[a-z0-9])*$/.test(project);
}

/**
 * The name of what a project deploys, by the rule of its own scripts (`_resource_name` of do/lib/names.sh), which also name
 * what is not on Kubernetes: PROJECT-SUFFIX, or where that is too long a shorter one with a hash of the whole.
 */
export function resourceName(project: string, suffix: string): string {
  const whole = `${project}-${suffix}`;
  if (whole.length <= LONGEST) return whole;
  const hash = posixChecksum(Buffer.from(whole)).toString(16).padStart(8, '0');
  const end = suffix.length > LONGEST_SUFFIX ? hash : `${hash}-${suffix}`;
  return `${whole.slice(0, LONGEST - end.length - 1).replace(/-+$/, '')}-${end}`;
}

/** The checksum of POSIX' `cksum`, which every shell has: a CRC of the bytes and of their count. */
function posixChecksum(bytes: Uint8Array): number {
  let crc = 0;
  const add = (byte: number) => {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  };
  bytes.forEach(add);
  for (let count = bytes.length; count > 0; count >>>= 8) add(count & 0xff);
  return ~crc >>> 0;
}
