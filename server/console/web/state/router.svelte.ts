import {createContext} from "svelte"

/** Where the page is: the parts of the fragment, `#/inbox/12` is `inbox`, `12`. */
export class Router {
  parts = $state.raw(partsOf(location.hash))

  /** Follows the address until its end. */
  start(): () => void {
    const follow = () => {
      this.parts = partsOf(location.hash)
    }
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }
}

const partsOf = (hash: string): readonly string[] =>
  hash
    .replace(/^#\/?/, "")
    .split("/")
    .filter(part => part !== "")
    .map(decode)

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a page. */
export const hrefOf = (...parts: readonly (string | number)[]): string =>
  `#/${parts.map(part => encodeURIComponent(part)).join("/")}`

export const [getRouter, setRouter] = createContext<Router>()
