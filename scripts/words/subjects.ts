/** A commit as `git log --format=%h%x09%ct%x09%s` prints it. */
export interface Commit {
  readonly hash: string
  readonly committed: Date
  readonly subject: string
}

const area = "[a-z0-9][a-z0-9/-]*"
const pattern = new RegExp(`^${area}(?:, ${area})*: [a-z].*[^.\\s]$`)

/** Returns what is wrong with a commit's subject; undefined if it is `area: imperative`, at most 72 characters. */
export const faultOf = (subject: string): string | undefined => {
  if (subject.length > 72) return `it has ${subject.length} characters, and at most 72 are allowed`
  return pattern.test(subject) ? undefined : 'it is not "area: imperative", in lower case and without a full stop'
}

/** Reads the lines of `git log`. */
export const readCommits = (log: string): readonly Commit[] =>
  log.split("\n").flatMap(line => {
    const [hash = "", seconds = "", ...subject] = line.split("\t")
    return hash === "" ? [] : [{hash, committed: new Date(Number(seconds) * 1000), subject: subject.join("\t")}]
  })
