// The address of lines in a repository's web view. Pure.
import type { Lines } from './wire';

const REMOTE =
  /^(?:https?:\/\/(?:[^@/]+@)?|ssh:\/\/(?:[^@/]+@)?|[^@/:]+@)([A-Za-z0-9.-]+)(?::\d+\/|[:/])(.+?)(?:\.git)?\/?$/;

/** Undefined for a remote of a kind that is not known, or a commit that is none. */
export function permalink(remote: string, commit: string, path: string, lines: Lines): string | undefined {
  const found = REMOTE.exec(remote.trim());
  const [host, repository] = [found?.[1]?.toLowerCase(), found?.[2]];
  if (!host || !repository || !/^[0-9a-f]{40,64}$/.test(commit) || /(^|\/)\.\.?(\/|$)/.test(repository)) {
    return undefined;
  }
  const place = path.split('/').map(encodeURIComponent).join('/');
  const base = `https://${host}/${repository.split('/').map(encodeURIComponent).join('/')}`;
  const { start, end } = lines;
  if (host === 'github.com') {
    return `${base}/blob/${commit}/${place}#L${start}${end > start ? `-L${end}` : ''}`;
  }
  if (host === 'gitlab.com') {
    return `${base}/-/blob/${commit}/${place}#L${start}${end > start ? `-${end}` : ''}`;
  }
  if (host === 'bitbucket.org') {
    return `${base}/src/${commit}/${place}#lines-${start}${end > start ? `:${end}` : ''}`;
  }
  return undefined;
}
