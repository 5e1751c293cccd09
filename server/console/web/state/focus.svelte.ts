import {tick} from "svelte"

/** An attachment: what has just been opened has the focus, at its heading. */
export const focusHeading = (box: HTMLElement): void => {
  const heading = box.querySelector("h2")
  heading?.setAttribute("tabindex", "-1")
  heading?.focus()
}

/** Whoever closes what was chosen from a list goes on where it stands there. */
export const returnFocus = (chosen: () => string | undefined, placeOf: (left: string) => string): void => {
  let before: string | undefined
  $effect(() => {
    const [left, now] = [before, chosen()]
    before = now
    if (left !== undefined && now === undefined)
      void tick().then(() => document.querySelector<HTMLElement>(placeOf(CSS.escape(left)))?.focus())
  })
}
