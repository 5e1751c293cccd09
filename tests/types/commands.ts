import {type Arguments, definePlugin} from "svc-runtime"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** Compiles only for two equal types. */
const same = <A, B>(_: Equal<{[K in keyof A]: A[K]}, {[K in keyof B]: B[K]}>) => {}

same<Arguments<"a [n:integer=1]">, {n: number}>(true)
same<Arguments<'a <x> [why:text="no [reason] <given>"] '>, {x: string; why: string}>(true)
same<Arguments<"a [why:string='a b'] [n:number]">, {why: string; n?: number}>(true)
same<Arguments<"a <color:red|green|blue>">, {color: "red" | "green" | "blue"}>(true)
same<Arguments<"a [color:red|green=red]">, {color: "red" | "green"}>(true)
same<Arguments<"a [color:red|green]">, {color?: "red" | "green"}>(true)
same<Arguments<"a <ids:integer[]>">, {ids: readonly [number, ...number[]]}>(true)
same<Arguments<"a [ids:integer[]] [x]">, {ids?: readonly [number, ...number[]]; x?: string}>(true)
same<Arguments<"a [ids:integer[]=1,2] [x]">, {ids: readonly [number, ...number[]]; x?: string}>(true)
same<Arguments<"a [words:string[]='a, b'] [x]">, {words: readonly [string, ...string[]]; x?: string}>(true)
same<Arguments<"a <tags[]> [names...]">, {tags: readonly [string, ...string[]]; names: readonly string[]}>(true)
same<Arguments<"a <names:string...>">, {names: readonly [string, ...string[]]}>(true)
same<Arguments<"a [n:integer...]">, {n: readonly number[]}>(true)
same<Arguments<"a <of:red|green...>">, {of: readonly ["red" | "green", ...("red" | "green")[]]}>(true)
same<Arguments<"a <of:red|green[]>">, {of: readonly ["red" | "green", ...("red" | "green")[]]}>(true)

/** Checked by the compiler: a line below an `@ts-expect-error` must fail to compile, all others must compile. */
export default definePlugin({
  setup(plugin) {
    plugin.command("paint <color:red|green> [times:integer=1] [names...]", ({args}) => {
      const first: string | undefined = args.names[0]
      // @ts-expect-error: not one of the choices
      if (args.color === "blue") return "blue"
      return `${args.color.toUpperCase()} ${args.times.toFixed()} ${first}`
    })
    plugin.command("sum <n:integer...>", ({args}) => args.n.reduce((sum, n) => sum + n, args.n[0]).toFixed())
    // @ts-expect-error: a mistyped type with a default
    plugin.command("roll [n:itneger=1]", () => "")
    // @ts-expect-error: a list of an unknown type
    plugin.command("roll <n:itneger[]>", () => "")
    // @ts-expect-error: the rest of the words, with an unknown type
    plugin.command("roll <n:itneger...>", () => "")
    // @ts-expect-error: text cannot be a list
    plugin.command("roll <n:text[]>", () => "")
    // @ts-expect-error: a default that is not one of the choices
    plugin.command("paint [color:red|green=blue]", () => "")
    // @ts-expect-error: a default that is not a number
    plugin.command("roll [n:integer=many]", () => "")
    plugin.command("roll [why:string=many] [n:number=1.5] [loud:boolean=yes]", () => "")

    plugin.command(
      "list",
      {
        options: {
          order: {type: "string", choices: ["new", "old"], default: "new"},
          size: {type: "integer", choices: [6, 8]},
          tag: {type: "string", list: true},
          loud: {type: "boolean", default: false},
          label: {type: "string"},
        },
      },
      ({options}) => {
        const order: "new" | "old" = options.order
        const size: 6 | 8 | undefined = options.size
        const tags: readonly string[] = options.tag
        const loud: boolean = options.loud
        // @ts-expect-error: it has no default
        const label: string = options.label
        return `${order} ${size} ${tags.join()} ${loud} ${label}`
      },
    )
    // @ts-expect-error: a default of another type
    plugin.command("list", {options: {size: {type: "integer", default: "6"}}}, () => "")
    // @ts-expect-error: the default of a list must be a list
    plugin.command("list", {options: {tag: {type: "string", list: true, default: "a"}}}, () => "")
    // @ts-expect-error: a switch cannot have choices
    plugin.command("list", {options: {loud: {type: "boolean", choices: [true]}}}, () => "")
  },
})
