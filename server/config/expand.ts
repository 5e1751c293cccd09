import {didYouMean} from "../runtime/text/suggest.ts"

/** The environment as the Host sees it: values by name. */
export type Variables = Readonly<Record<string, string | undefined>>

const reference = /\$(\$\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g
const bare = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/

/** Returns the variables that a text refers to, with repetitions. Works for broken text too. */
export const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/g)].map(match => match[1] ?? "")

const textsIn = (raw: unknown): readonly string[] => {
  if (typeof raw === "string") return [raw]
  return typeof raw === "object" && raw !== null ? Object.values(raw).flatMap(textsIn) : []
}

/** Returns the variables in all texts of a value, each with its default; undefined if it has none at one place. */
export const referencesIn = (raw: unknown): ReadonlyMap<string, string | undefined> => {
  const found = new Map<string, string | undefined>()
  for (const text of textsIn(raw))
    for (const [, , name, otherwise] of text.matchAll(reference))
      if (name !== undefined && !(found.has(name) && otherwise !== undefined)) found.set(name, otherwise)
  return found
}

/** How many variables an error names. */
const mostUnset = 10

export type Expansion =
  | {is: "text"; text: string /** The variables that a value came from. */; names: readonly string[]}
  | {is: "unset"; message: string}

/**
 * Replaces `${NAME}` and `${NAME:-default}`; `$${` means a literal `${`. A variable that is unset or empty takes its
 * default. Without a default it is an error that names the variable, and never becomes an empty string.
 */
export const expand = (text: string, variables: Variables): Expansion => {
  const unset: string[] = []
  const names: string[] = []
  // Behind the last brace no reference ends: looking for its end from each of many `${` would take too long.
  const end = text.lastIndexOf("}") + 1
  const rest = text.slice(end).replaceAll("$${", "${")
  const head = text.slice(0, end)
  const expanded = head.replace(reference, (_, escaped: string | undefined, name: string, otherwise?: string) => {
    if (escaped !== undefined) return escaped
    const value = variables[name]
    if (value !== undefined && value !== "") {
      names.push(name)
      return value
    }
    if (otherwise === undefined) unset.push(name)
    return otherwise ?? ""
  })
  if (unset.length === 0) return {is: "text", text: `${expanded}${rest}`, names}
  const different = [...new Set(unset)].slice(0, mostUnset)
  return {is: "unset", message: different.map(name => unsetMessage(name, variables)).join("; ")}
}

export type SecretExpansion = {is: "secret"; value: string; name: string} | {is: "refused"; message: string}

/** Returns the value of a secret. Accepts only a bare `${NAME}`, never a literal or a default. */
export const expandSecret = (raw: unknown, variables: Variables): SecretExpansion => {
  const name = typeof raw === "string" ? bare.exec(raw)?.[1] : undefined
  if (name === undefined) {
    const got =
      typeof raw === "string" && raw.includes("${") ? "a variable with a default or with other text" : "a literal"
    return {is: "refused", message: `expected a bare \${NAME}, as secrets come from the environment only; got ${got}`}
  }
  const value = variables[name]
  if (value === undefined || value === "") return {is: "refused", message: unsetMessage(name, variables)}
  return {is: "secret", value, name}
}

const unsetMessage = (name: string, variables: Variables) => {
  if (variables[name] === "") return `the environment variable ${name} is empty`
  return `the environment variable ${name} is not set${didYouMean(name, Object.keys(variables))}`
}
