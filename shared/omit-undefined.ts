type Given<T> = {readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K]} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Returns the properties that have a value: for types whose optional properties may not be undefined. */
export const omitUndefined = <T extends Readonly<Record<string, unknown>>>(properties: T): Given<T> =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as Given<T>
