export type {Binding} from "../../../shared/agents/binding.ts"
