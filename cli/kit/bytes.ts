const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const

/** Formats a size: `512 B`, `1.5 MiB`, `-20 KiB`. */
export const bytes = (size: number): string => {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, Math.abs(size))) / 10)))
  const value = size / 1024 ** power
  return `${power === 0 ? value : Number(value.toFixed(1))} ${units[power]}`
}
