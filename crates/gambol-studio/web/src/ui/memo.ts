import { Component, type ComponentType, h } from 'preact'

/** A component that is drawn anew only where its properties say something new. */
export function memo<P extends object>(Inner: ComponentType<P>, alike: (a: P, b: P) => boolean): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !alike(this.props, next)
    }

    override render(props: P) {
      return h(Inner, props)
    }
  }
}
