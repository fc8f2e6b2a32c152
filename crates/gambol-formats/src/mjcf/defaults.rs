//! Default classes: what an element does not say itself, its class says, or the class around that, attribute by
//! attribute.

use std::collections::HashMap;

use gambol_model::Vec3;

use crate::FormatError;
use crate::xml::Element;

/// Deepest nesting of classes. Real files have five; the cost of every element grows with it.
const MAX_DEPTH: usize = 100;

/// Index of a class.
pub(crate) type ClassId = usize;
/// The class `main`, which everything falls back to.
pub(crate) const MAIN: ClassId = 0;

/// All classes of a model.
#[derive(Debug)]
pub(crate) struct Classes<'d> {
    classes: Vec<Class<'d>>,
    by_name: HashMap<&'d str, ClassId>,
}

#[derive(Debug, Default)]
struct Class<'d> {
    /// The class around it, and how many elements that had when this one began: what a later `<default>` adds to
    /// `main` does not reach classes that exist already.
    parent: Option<(ClassId, usize)>,
    elements: Vec<Element<'d>>,
    depth: usize,
}

impl<'d> Classes<'d> {
    /// All `<default>` elements of a model.
    pub(crate) fn read(root: Element<'d>) -> Result<Self, FormatError> {
        let mut classes = Self { classes: vec![Class::default()], by_name: HashMap::from([("main", MAIN)]) };
        for section in root.children_named("default") {
            if let Some(name) = section.text("class").filter(|name| !name.is_empty() && *name != "main") {
                return Err(section.error(format!("the outermost class is \"main\" and cannot be {name:?}")));
            }
            classes.read_tree(section)?;
        }
        Ok(classes)
    }

    fn read_tree(&mut self, section: Element<'d>) -> Result<(), FormatError> {
        let mut waiting = vec![(section, MAIN)];
        while let Some((section, class)) = waiting.pop() {
            self.classes[class].elements.extend(section.children().filter(|child| child.tag() != "default"));
            for nested in section.children_named("default") {
                waiting.push((nested, self.add(nested, class)?));
            }
        }
        Ok(())
    }

    fn add(&mut self, element: Element<'d>, parent: ClassId) -> Result<ClassId, FormatError> {
        let name = element.required("class")?;
        if name.is_empty() {
            return Err(element.error("the class has no name"));
        }
        let depth = self.classes[parent].depth + 1;
        if depth > MAX_DEPTH {
            return Err(element.error(format!("classes are nested more than {MAX_DEPTH} deep")));
        }
        let id = self.classes.len();
        if self.by_name.insert(name, id).is_some() {
            return Err(element.error(format!("another class has the name {name:?}")));
        }
        let snapshot = self.classes[parent].elements.len();
        self.classes.push(Class { parent: Some((parent, snapshot)), elements: Vec::new(), depth });
        Ok(id)
    }

    /// The class that an attribute names, if the element has that attribute.
    pub(crate) fn named(
        &self,
        element: Element<'_>,
        attribute: &str,
    ) -> Result<Option<ClassId>, FormatError> {
        let Some(name) = element.text(attribute) else { return Ok(None) };
        let unknown = || element.error(format!("there is no class {name:?}"));
        self.by_name.get(name).copied().map(Some).ok_or_else(unknown)
    }

    /// `element` with what its class says about it. `fallback` is the class of elements that name none. Elements in
    /// the class speak for it if `speaks` likes their name.
    pub(crate) fn cascade_by(
        &self,
        element: Element<'d>,
        fallback: ClassId,
        speaks: impl Fn(&str) -> bool,
    ) -> Result<Cascade<'d>, FormatError> {
        let mut chain = vec![element];
        let mut next = Some((self.named(element, "class")?.unwrap_or(fallback), usize::MAX));
        while let Some((id, count)) = next {
            let class = &self.classes[id];
            let own = &class.elements[..class.elements.len().min(count)];
            // Of two elements in one class the later one wins.
            chain.extend(own.iter().rev().filter(|element| speaks(element.tag())));
            next = class.parent;
        }
        Ok(Cascade { chain })
    }

    /// The usual case: elements of the same name speak for the class.
    pub(crate) fn cascade(
        &self,
        element: Element<'d>,
        fallback: ClassId,
    ) -> Result<Cascade<'d>, FormatError> {
        self.cascade_by(element, fallback, |tag| tag == element.tag())
    }
}

/// An element and, behind it, the elements of its classes, nearest first.
#[derive(Debug)]
pub(crate) struct Cascade<'d> {
    chain: Vec<Element<'d>>,
}

impl<'d> Cascade<'d> {
    /// The element itself.
    pub(crate) fn own(&self) -> Element<'d> {
        self.chain[0]
    }

    /// The nearest element that has one of these attributes.
    pub(crate) fn who_has(&self, names: &[&str]) -> Option<Element<'d>> {
        self.ignore(names); // what a class says in vain is not unknown
        self.chain.iter().copied().find(|element| names.iter().any(|name| element.has(name)))
    }

    /// The nearest text of an attribute.
    pub(crate) fn text(&self, name: &str) -> Option<&'d str> {
        self.who_has(&[name]).and_then(|element| element.text(name))
    }

    /// The nearest number.
    pub(crate) fn f64(&self, name: &str) -> Result<Option<f64>, FormatError> {
        self.who_has(&[name]).map_or(Ok(None), |element| element.f64(name))
    }

    /// The nearest whole number.
    pub(crate) fn int(&self, name: &str) -> Result<Option<i64>, FormatError> {
        self.who_has(&[name]).map_or(Ok(None), |element| element.int(name))
    }

    /// The nearest `N` numbers.
    pub(crate) fn array<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, FormatError> {
        self.who_has(&[name]).map_or(Ok(None), |element| element.array(name))
    }

    /// The nearest vector.
    pub(crate) fn vec3(&self, name: &str) -> Result<Option<Vec3>, FormatError> {
        Ok(self.array::<3>(name)?.map(Vec3::from))
    }

    /// The nearest word.
    pub(crate) fn keyword<T: Copy>(
        &self,
        name: &str,
        meanings: &[(&str, T)],
    ) -> Result<Option<T>, FormatError> {
        self.who_has(&[name]).map_or(Ok(None), |element| element.keyword(name, meanings))
    }

    /// The nearest `true` or `false`.
    pub(crate) fn bool(&self, name: &str) -> Result<Option<bool>, FormatError> {
        self.who_has(&[name]).map_or(Ok(None), |element| element.bool(name))
    }

    /// Up to `N` numbers, laid over those of the class, which are laid over `builtin`: a size of one number keeps
    /// the other two of its class.
    pub(crate) fn overlay<const N: usize>(
        &self,
        name: &str,
        builtin: [f64; N],
    ) -> Result<[f64; N], FormatError> {
        let mut values = builtin;
        for element in self.chain.iter().rev() {
            let Some(numbers) = element.numbers(name)? else { continue };
            if numbers.is_empty() || numbers.len() > N {
                return Err(
                    element.error(format!("{name:?} has {} numbers; 1 to {N} expected", numbers.len()))
                );
            }
            values[..numbers.len()].copy_from_slice(&numbers);
        }
        Ok(values)
    }

    /// Says that nothing else about these elements matters.
    pub(crate) fn ignore_rest(&self) {
        self.chain.iter().for_each(|element| element.ignore_rest());
    }

    /// Says that these attributes are known and left out on purpose.
    pub(crate) fn ignore(&self, names: &[&str]) {
        for element in &self.chain {
            element.ignore(names);
        }
    }
}
