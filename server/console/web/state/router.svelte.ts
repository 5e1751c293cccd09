import {createContext} from "svelte"

/** The filters of a list, by the names of the API. */
export type Query = Readonly<Record<string, string>>

/** The current page: for the fragment `#/inbox/12?state=failed`, the parts `inbox` and `12`, and the query. */
export class Router {
  parts = $state.raw(partsOf(location.hash))
  query = $state.raw<Query>(queryOf(location.hash))

  /** Follows the address; returns a function that ends this. */
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

/** Returns the address of a page with filters; leaves out empty ones. */
export const hrefWith = (query: Query, ...parts: readonly (string | number)[]): string => {
  const set = Object.entries(query).filter(([, value]) => value !== "")
  return set.length === 0 ? hrefOf(...parts) : `${hrefOf(...parts)}?${new URLSearchParams(set)}`
}

/** Returns the address of a page. */
export const hrefOf = (...parts: readonly (string | number)[]): string =>
  `#/${parts.map(part => encodeURIComponent(part)).join("/")}`

/**
 * Adds filters to the current list; an empty value removes one. Replaces the history entry, so that Back leaves the
 * list at once.
 */
export const narrow = ({parts, query}: Pick<Router, "parts" | "query">, more: Query): void =>
  location.replace(hrefWith({...query, ...more}, ...parts))

export const [getRouter, setRouter] = createContext<Router>()
