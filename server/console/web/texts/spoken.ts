import type {Text} from "./catalogue.ts"

interface Tree {
  readonly [key: string]: Text | Tree | undefined
}

const isText = (part: Text | Tree | undefined): part is Text =>
  typeof part === "string" || typeof part === "function" || Array.isArray(part)

/**
 * Returns the table `basis`, whose texts read from the table that `table` returns at that moment, and from `basis` if
 * that one lacks them. A part of it can be kept: it always returns the texts of the current language.
 */
export const spoken = (basis: Tree, table: () => Tree | undefined): Tree =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries(basis).map(([key, part]): [string, PropertyDescriptor] => {
        if (part === undefined || isText(part)) return [key, {enumerable: true, get: () => table()?.[key] ?? part}]
        const below = () => {
          const found = table()?.[key]
          return isText(found) ? undefined : found
        }
        return [key, {enumerable: true, value: spoken(part, below)}]
      }),
    ),
  )
