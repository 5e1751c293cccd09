import {declarationsOf, type Setup} from "./kind.ts"

/** Functions that run once the instance is part of a committed generation. */
export const starts = (setup: Setup) => {
  const declared: (() => unknown)[] = []
  const onStart = (handler: () => unknown): void => {
    const what = setup.begin("onStart")
    if (typeof handler !== "function") throw new TypeError(`${what} needs a function`)
    declared.push(handler)
  }
  return declarationsOf({methods: {onStart}, declared})
}
