/** Handlers of named events. `on` gives back a function that takes the handler off again. */
export class Emitter<Events> {
  private readonly handlers = new Map<keyof Events, Set<(event: never) => void>>()

  on<Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): () => void {
    const set = this.handlers.get(name) ?? new Set()
    this.handlers.set(name, set)
    set.add(handler)
    return () => set.delete(handler)
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const handler of this.handlers.get(name) ?? []) (handler as (event: Events[Name]) => void)(event)
  }
}
