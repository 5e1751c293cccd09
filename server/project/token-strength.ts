/** Makes a token of 256 bits. */
export const tokenCommand = "openssl rand -hex 32"

/** Fewer characters are refused in production. */
const shortest = 16

/**
 * OWASP ASVS 5.0 asks for 128 bits of entropy of a token that a server looks up (7.2.3). No test of a text can show that
 * much: an estimate finds only the tokens that cannot have it.
 */
export const wantedBits = 128

const words = [
  ..."replace change changeme me my your the a new old with long random some very super top".split(" "),
  ..."placeholder example sample default demo test testing dev development prod production".split(" "),
  ..."token tokens secret secrets password passwort passphrase pass pw key api http full auth bearer".split(" "),
  ..."admin administrator root user bot svc host server letmein welcome hello here todo fixme insert none".split(" "),
  ..."0123456789abcdef abcdefghijklmnopqrstuvwxyz abcdef abc qwertyuiop qwerty qwertz asdfghjkl asdf xxx".split(" "),
]

/** Nothing but known words, digits and signs, with one word at least. */
const known = new RegExp(`^(?=.*[a-z])(?:${words.join("|")}|[^a-z])+$`, "i")

/** Digits that count up or down, or say the same. */
const counting = /^(?:0?1234567890?|9876543210?|(\d)\1+)+\d{0,9}$/

/** Why production refuses a token, in words that continue "http.token …"; undefined where it does not. */
export const weaknessOf = (token: string): string | undefined => {
  if (token.length < shortest) return `has fewer than ${shortest} characters`
  if (known.test(token) || counting.test(token) || new Set(token).size < 4)
    return "is made of words and sequences that everybody tries first"
  return undefined
}

/**
 * At most so many bits of entropy are in a token, by its length and the characters that it is made of (NIST SP 800-63-2,
 * appendix A.1: a text of `l` characters chosen at random from `b` has `l × log2(b)`). A repeated part counts once.
 */
export const estimatedBits = (token: string): number => Math.floor(periodOf(token) * Math.log2(alphabetOf(token)))

/** How long the part is of which the text is a repetition; its own length where it is none. */
const periodOf = (text: string): number => {
  const at = `${text}${text}`.indexOf(text, 1)
  return at > 0 ? at : text.length
}

/** How many characters the token's were chosen from, as far as they show it. */
const alphabetOf = (token: string): number => {
  if (/^\d*$/.test(token)) return 10
  if (/^(?:[\da-f]*|[\dA-F]*)$/.test(token)) return 16
  const others = new Set(token.replace(/[a-zA-Z\d]/g, "")).size
  return (/[a-z]/.test(token) ? 26 : 0) + (/[A-Z]/.test(token) ? 26 : 0) + (/\d/.test(token) ? 10 : 0) + others
}
