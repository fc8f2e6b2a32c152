//! Numbers from accessors, checked against the bytes there are.

use super::container::Container;
use super::json::Accessor;
use crate::FormatError;

/// Most elements of an accessor that has no bytes of its own: it is all zeros, so a small file could ask for any number.
const MOST_ZEROS: usize = 1 << 20;

impl Container {
    /// All numbers of an accessor, element after element. Its type must be one of `kinds`; integers that are normalised
    /// become fractions. Not finite numbers are refused.
    pub(super) fn numbers(&self, index: usize, what: &str, kinds: &[&str]) -> Result<Vec<f64>, FormatError> {
        let numbers = self.any_numbers(index, what, kinds)?;
        if let Some(place) = numbers.iter().position(|x| !x.is_finite()) {
            let width = components(&self.document.accessors[index].kind).unwrap_or(1);
            let element = place / width;
            let reason =
                format!("accessor {index} ({what}) has a number in element {element} that is not finite");
            return Err(self.error(reason));
        }
        Ok(numbers)
    }

    /// The same; what is not finite is left as it is.
    pub(super) fn any_numbers(
        &self,
        index: usize,
        what: &str,
        kinds: &[&str],
    ) -> Result<Vec<f64>, FormatError> {
        let wrong = |reason: String| self.error(format!("accessor {index} ({what}) {reason}"));
        let Some(accessor) = self.document.accessors.get(index) else {
            return Err(wrong("does not exist".into()));
        };
        if !kinds.contains(&accessor.kind.as_str()) {
            return Err(wrong(format!("has the type {}, not {}", accessor.kind, kinds.join(" or "))));
        }
        let width = components(&accessor.kind).ok_or_else(|| wrong("has an unknown type".into()))?;
        let size = component_size(accessor.component_type)
            .ok_or_else(|| wrong(format!("has the unknown component type {}", accessor.component_type)))?;
        let mut numbers = match accessor.buffer_view {
            Some(view) => {
                let element = width * size;
                let stride =
                    self.document.buffer_views.get(view).and_then(|view| view.byte_stride).unwrap_or(element);
                if stride < element {
                    return Err(wrong(format!("has elements of {element} bytes, {stride} bytes apart")));
                }
                let at = accessor.byte_offset;
                let bytes = self.bytes(view, at, accessor.count, stride, element).map_err(wrong)?;
                let mut numbers = Vec::with_capacity(accessor.count * width);
                for element in 0..accessor.count {
                    for k in 0..width {
                        numbers.push(component(accessor, &bytes[element * stride + k * size..]));
                    }
                }
                numbers
            }
            None if accessor.count <= MOST_ZEROS => vec![0.0; accessor.count * width],
            None => return Err(wrong(format!("claims {} elements without any bytes", accessor.count))),
        };
        if let Some(sparse) = &accessor.sparse {
            let kind = sparse.indices.component_type.unwrap_or(0);
            let unsigned = matches!(kind, 5121 | 5123 | 5125);
            let step = component_size(kind).filter(|_| unsigned).ok_or_else(|| {
                wrong(format!("has sparse indices of component type {kind}, which is not unsigned"))
            })?;
            let part = &sparse.indices;
            let places =
                self.bytes(part.buffer_view, part.byte_offset, sparse.count, step, step).map_err(wrong)?;
            let (part, element) = (&sparse.values, width * size);
            let values = self
                .bytes(part.buffer_view, part.byte_offset, sparse.count, element, element)
                .map_err(wrong)?;
            for k in 0..sparse.count {
                let place = little_endian(&places[k * step..], step);
                if place >= accessor.count {
                    return Err(wrong(format!("replaces element {place} of {}", accessor.count)));
                }
                for c in 0..width {
                    numbers[place * width + c] = component(accessor, &values[k * element + c * size..]);
                }
            }
        }
        Ok(numbers)
    }

    /// Indices of an accessor of unsigned integers.
    pub(super) fn indices(
        &self,
        index: usize,
        what: &str,
        kinds: &[&str],
    ) -> Result<Vec<usize>, FormatError> {
        let accessor = self.document.accessors.get(index);
        if accessor.is_some_and(|a| !matches!(a.component_type, 5121 | 5123 | 5125) || a.normalized) {
            return Err(self.error(format!("accessor {index} ({what}) does not hold unsigned integers")));
        }
        // At most 32 bits, so they are exact and not negative.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        self.numbers(index, what, kinds).map(|numbers| numbers.into_iter().map(|x| x as usize).collect())
    }

    /// The bytes of `count` elements of `element` bytes, `stride` apart, from `at` in a buffer view.
    fn bytes(
        &self,
        view: usize,
        at: usize,
        count: usize,
        stride: usize,
        element: usize,
    ) -> Result<&[u8], String> {
        let Some(view) = self.document.buffer_views.get(view) else {
            return Err(format!("uses buffer view {view}, which does not exist"));
        };
        let Some(buffer) = self.buffers.get(view.buffer) else {
            return Err(format!("uses buffer {}, which does not exist", view.buffer));
        };
        let needed = match count {
            0 => Some(0),
            _ => (count - 1).checked_mul(stride).and_then(|n| n.checked_add(element)),
        };
        let end = needed.and_then(|n| n.checked_add(at));
        let range = view.byte_offset.checked_add(view.byte_length).filter(|&end| end <= buffer.len());
        match (end, range) {
            (Some(end), Some(_)) if end <= view.byte_length => {
                Ok(&buffer[view.byte_offset + at..view.byte_offset + end])
            }
            _ => Err(format!(
                "reaches beyond its bytes: {count} elements from byte {at} of a view of {} bytes in a buffer of {}",
                view.byte_length,
                buffer.len()
            )),
        }
    }
}

/// Numbers per element.
fn components(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => return None,
    })
}

/// Bytes per number.
fn component_size(component_type: u32) -> Option<usize> {
    Some(match component_type {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        _ => return None,
    })
}

fn little_endian(bytes: &[u8], size: usize) -> usize {
    bytes[..size].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

/// One number; `bytes` has enough of them and the type is known.
fn component(accessor: &Accessor, bytes: &[u8]) -> f64 {
    let (value, largest) = match accessor.component_type {
        5120 => (f64::from(i8::from_le_bytes([bytes[0]])), f64::from(i8::MAX)),
        5121 => (f64::from(bytes[0]), f64::from(u8::MAX)),
        5122 => (f64::from(i16::from_le_bytes([bytes[0], bytes[1]])), f64::from(i16::MAX)),
        5123 => (f64::from(u16::from_le_bytes([bytes[0], bytes[1]])), f64::from(u16::MAX)),
        5125 => {
            (f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])), f64::from(u32::MAX))
        }
        _ => return f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
    };
    // −128 and −127 are both −1.
    if accessor.normalized { (value / largest).max(-1.0) } else { value }
}
