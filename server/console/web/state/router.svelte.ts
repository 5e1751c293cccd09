import {createContext} from "svelte"

/** What a list is narrowed by, by the names of the API. */
export type Query = Readonly<Record<string, string>>

/** Where the page is: the parts of the fragment, `#/inbox/12?state=failed` is `inbox`, `12`, and what stands after the mark. */
export class Router {
  parts = $state.raw(partsOf(location.hash))
  query = $state.raw<Query>(queryOf(location.hash))

  /** Follows the address until its end. */
  start(): () => void {
    const follow = () => {
      this.parts = partsOf(location.hash)
      this.query = queryOf(location.hash)
    }
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }
}

const partsOf = (hash: string): readonly string[] =>
  hash
    .replace(/^#\/?/, "")
    .replace(/\?.*$/, "")
    .split("/")
    .filter(part => part !== "")
    .map(decode)

const queryOf = (hash: string): Query =>
  Object.fromEntries(new URLSearchParams(hash.includes("?") ? hash.slice(hash.indexOf("?") + 1) : ""))

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a page that is narrowed; what is empty is left out. */
export const hrefWith = (query: Query, ...parts: readonly (string | number)[]): string => {
  const set = Object.entries(query).filter(([, value]) => value !== "")
  return set.length === 0 ? hrefOf(...parts) : `${hrefOf(...parts)}?${new URLSearchParams(set)}`
}

/** The address of a page. */
export const hrefOf = (...parts: readonly (string | number)[]): string =>
  `#/${parts.map(part => encodeURIComponent(part)).join("/")}`

/** Narrows the list that is shown by more, or by less where a value is empty. A step back does not go through each of them. */
export const narrow = ({parts, query}: Pick<Router, "parts" | "query">, more: Query): void =>
  location.replace(hrefWith({...query, ...more}, ...parts))

export const [getRouter, setRouter] = createContext<Router>()
