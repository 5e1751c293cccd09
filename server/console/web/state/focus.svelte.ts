import {tick} from "svelte"

/** An attachment that focuses the heading of a box when the box opens. */
export const focusHeading = (box: HTMLElement): void => {
  const heading = box.querySelector("h2")
  heading?.setAttribute("tabindex", "-1")
  heading?.focus()
}

/** After the user closes an item, focuses it in its list. */
export const returnFocus = (chosen: () => string | undefined, placeOf: (left: string) => string): void => {
  let before: string | undefined
  $effect(() => {
    const [left, now] = [before, chosen()]
    before = now
    if (left !== undefined && now === undefined)
      void tick().then(() => document.querySelector<HTMLElement>(placeOf(CSS.escape(left)))?.focus())
  })
}
