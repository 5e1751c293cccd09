/** The command that generates a token of 256 bits. */
export const tokenCommand = "openssl rand -hex 32"

/** The shortest token that production accepts, in characters. */
const shortest = 16

/**
 * OWASP ASVS 5.0 requires 128 bits of entropy for a token that a server looks up (7.2.3). No test of a text can prove
 * that; an estimate only finds tokens that cannot have so much.
 */
export const wantedBits = 128

const words = [
  ..."replace change changeme me my your the new old with long random some very super top".split(" "),
  ..."placeholder example sample default demo test testing dev development prod production".split(" "),
  ..."token tokens secret secrets password passwort passphrase pass pw key api http full auth bearer".split(" "),
  ..."admin administrator root user bot svc host server letmein welcome hello here todo fixme insert none".split(" "),
  ..."0123456789abcdef abcdefghijklmnopqrstuvwxyz abcdef abc qwertyuiop qwerty qwertz asdfghjkl asdf xxx".split(" "),
]

/** A letter that counts as a word only between signs: a random hex token may have no other letter. */
const lone = /(?<![a-z\d])a(?![a-z\d])/g

/** Words, digits and signs only, with a word? A regular expression of all words takes Bun long to compile. */
const isKnown = (token: string): boolean => {
  const text = token.toLowerCase()
  const rest = text.replace(lone, "-")
  const ends = new Set([0])
  for (const end of ends) {
    if (end < rest.length && !/[a-z]/.test(rest.charAt(end))) ends.add(end + 1)
    for (const word of words) if (rest.startsWith(word, end)) ends.add(end + word.length)
  }
  return ends.has(rest.length) && /[a-z]/.test(text)
}

/** Matches digits that count up or down, or repeat. */
const counting = /^(?:0?1234567890?|9876543210?|(\d)\1+)+\d{0,9}$/

/** Returns why production refuses a token, as a continuation of "http.token …", or undefined if it accepts it. */
export const weaknessOf = (token: string): string | undefined => {
  if (token.length < shortest) return `has fewer than ${shortest} characters`
  if (isKnown(token) || counting.test(token) || new Set(token).size < 4)
    return "consists of common words and sequences, which attackers try first"
  return undefined
}

/**
 * Returns the most bits of entropy that a token can have, by its length and its characters (NIST SP 800-63-2, appendix A.1:
 * a text of `l` characters chosen at random from `b` has `l × log2(b)`). A repeated part counts once.
 */
export const estimatedBits = (token: string): number => Math.floor(periodOf(token) * Math.log2(alphabetOf(token)))

/** Returns the length of the part that the text repeats; its full length if it repeats nothing. */
const periodOf = (text: string): number => {
  const at = `${text}${text}`.indexOf(text, 1)
  return at > 0 ? at : text.length
}

/** Estimates the size of the alphabet from which the token's characters were chosen. */
const alphabetOf = (token: string): number => {
  if (/^\d*$/.test(token)) return 10
  if (/^(?:[\da-f]*|[\dA-F]*)$/.test(token)) return 16
  const others = new Set(token.replace(/[a-zA-Z\d]/g, "")).size
  return (/[a-z]/.test(token) ? 26 : 0) + (/[A-Z]/.test(token) ? 26 : 0) + (/\d/.test(token) ? 10 : 0) + others
}
