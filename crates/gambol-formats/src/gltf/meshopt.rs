//! The codecs of `EXT_meshopt_compression` (the specification's appendices A and B), in.
//!
//! Every reader is handed all bytes that there are and says how it failed; nothing is read beyond them.

/// Elements of a block are decoded in groups of this many.
const GROUP: usize = 16;
/// A block has at most so many bytes, and so many elements.
const BLOCK_BYTES: usize = 8192;
const BLOCK_ELEMENTS: usize = 256;
/// The last bytes of a stream of vertices, which hold the first element.
const TAIL: usize = 32;

const SHORT: &str = "it ends too early";

/// Bytes from the front.
struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], String> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len()).ok_or(SHORT)?;
        let part = &self.bytes[self.at..end];
        self.at = end;
        Ok(part)
    }

    fn byte(&mut self) -> Result<u8, String> {
        self.take(1).map(|bytes| bytes[0])
    }

    /// Seven bits a byte, the lowest first.
    fn varint(&mut self) -> Result<u32, String> {
        let mut value = 0u32;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u32::from(byte & 127).checked_shl(shift).unwrap_or(0);
            if byte < 128 {
                return Ok(value);
            }
        }
        Err("an index has too many bytes".to_owned())
    }

    /// An index as its distance from another one.
    fn index(&mut self, last: u32) -> Result<u32, String> {
        let v = self.varint()?;
        Ok(last.wrapping_add((v >> 1) ^ (v & 1).wrapping_neg()))
    }
}

/// Mode ATTRIBUTES, version 0: each byte of an element as its distance from the same byte of the element before.
pub(super) fn vertices(bytes: &[u8], stride: usize, count: usize) -> Result<Vec<u8>, String> {
    if stride == 0 || stride > BLOCK_ELEMENTS || !stride.is_multiple_of(4) {
        return Err(format!("elements of {stride} bytes cannot be in it"));
    }
    let mut data = Reader { bytes, at: 0 };
    match data.byte()? {
        0xa0 => {}
        other => return Err(format!("it is of the unknown kind {other:#x}")),
    }
    let tail = stride.max(TAIL);
    if bytes.len() < 1 + tail {
        return Err(SHORT.to_owned());
    }
    let mut last = bytes[bytes.len() - stride..].to_vec();
    let mut out = vec![0; stride * count];
    let most = ((BLOCK_BYTES / stride) & !(GROUP - 1)).min(BLOCK_ELEMENTS);
    for block in out.chunks_mut(most * stride) {
        let elements = block.len() / stride;
        for (k, last) in last.iter_mut().enumerate() {
            for (element, delta) in deltas(&mut data, elements)?.into_iter().take(elements).enumerate() {
                *last = last.wrapping_add((delta >> 1) ^ (delta & 1).wrapping_neg());
                block[element * stride + k] = *last;
            }
        }
    }
    Ok(out)
}

/// One byte of each element of a block: two bits a group say how many bits its bytes have.
fn deltas(data: &mut Reader, elements: usize) -> Result<Vec<u8>, String> {
    let groups = elements.div_ceil(GROUP);
    let header = data.take(groups.div_ceil(4))?;
    let mut out = Vec::with_capacity(groups * GROUP);
    for group in 0..groups {
        match header[group / 4] >> (2 * (group % 4)) & 3 {
            0 => out.extend([0; GROUP]),
            1 => packed(data, 2, &mut out)?,
            2 => packed(data, 4, &mut out)?,
            _ => out.extend(data.take(GROUP)?),
        }
    }
    Ok(out)
}

/// Sixteen numbers of a few bits, the first in the highest; all ones say that a whole byte follows behind.
fn packed(data: &mut Reader, bits: usize, out: &mut Vec<u8>) -> Result<(), String> {
    let per_byte = 8 / bits;
    let full = (1u8 << bits) - 1;
    let codes = data.take(GROUP / per_byte)?;
    for k in 0..GROUP {
        let code = codes[k / per_byte] >> (8 - bits * (k % per_byte + 1)) & full;
        out.push(if code == full { data.byte()? } else { code });
    }
    Ok(())
}

/// The last sixteen edges and vertices.
#[derive(Default)]
struct Recent {
    edges: [[u32; 2]; 16],
    edge: usize,
    vertices: [u32; 16],
    vertex: usize,
}

impl Recent {
    fn push_vertex(&mut self, vertex: u32) {
        self.vertices[self.vertex % 16] = vertex;
        self.vertex += 1;
    }

    fn push_edge(&mut self, a: u32, b: u32) {
        self.edges[self.edge % 16] = [a, b];
        self.edge += 1;
    }

    /// The vertex that was pushed `back` pushes ago.
    fn vertex(&self, back: usize) -> u32 {
        self.vertices[(self.vertex + 32 - back) % 16]
    }
}

/// Mode TRIANGLES: each triangle as an edge that was there and a vertex, or as three.
pub(super) fn triangles(bytes: &[u8], stride: usize, count: usize) -> Result<Vec<u8>, String> {
    if !count.is_multiple_of(3) {
        return Err(format!("{count} corners are no triangles"));
    }
    let mut data = Reader { bytes, at: 0 };
    let version = match data.byte()? {
        header if header & 0xf0 == 0xe0 && header & 0x0f <= 1 => header & 0x0f,
        other => return Err(format!("it is of the unknown kind {other:#x}")),
    };
    let codes = data.take(count / 3)?;
    let table = bytes.len().checked_sub(16).filter(|&at| at >= data.at).ok_or(SHORT)?;
    let table = &bytes[table..];
    let inner = if version >= 1 { 13 } else { 15 };
    let (mut recent, mut next, mut last) = (Recent::default(), 0u32, 0u32);
    let mut out = Indices::new(stride, count)?;
    for &code in codes {
        if code < 0xf0 {
            let [a, b] = recent.edges[(recent.edge + 32 - 1 - usize::from(code >> 4)) % 16];
            let third = usize::from(code & 15);
            let c = if third == 0 {
                next = next.wrapping_add(1);
                next.wrapping_sub(1)
            } else if third < inner {
                recent.vertex(1 + third)
            } else {
                last = match third {
                    15 => data.index(last)?,
                    13 => last.wrapping_sub(1),
                    _ => last.wrapping_add(1),
                };
                last
            };
            if third == 0 || third >= inner {
                recent.push_vertex(c);
            }
            recent.push_edge(c, b);
            recent.push_edge(a, c);
            out.push([a, b, c])?;
            continue;
        }
        let far = code >= 0xfe;
        let aux = if far { data.byte()? } else { table[usize::from(code & 15)] };
        if far && aux == 0 {
            next = 0;
        }
        let slots = [if code == 0xff { 15 } else { 0 }, usize::from(aux >> 4), usize::from(aux & 15)];
        let mut corners = [0; 3];
        for (corner, slot) in corners.iter_mut().zip(slots) {
            *corner = if slot == 0 { next } else { recent.vertex(slot) };
            next = next.wrapping_add(u32::from(slot == 0));
        }
        for (corner, slot) in corners.iter_mut().zip(slots) {
            if far && slot == 15 {
                last = data.index(last)?;
                *corner = last;
            }
        }
        for (k, (&corner, slot)) in corners.iter().zip(slots).enumerate() {
            if k == 0 || slot == 0 || far && slot == 15 {
                recent.push_vertex(corner);
            }
        }
        let [a, b, c] = corners;
        recent.push_edge(b, a);
        recent.push_edge(c, b);
        recent.push_edge(a, c);
        out.push([a, b, c])?;
    }
    Ok(out.bytes)
}

/// Mode INDICES: each index as its distance from one of the two last ones.
pub(super) fn indices(bytes: &[u8], stride: usize, count: usize) -> Result<Vec<u8>, String> {
    let mut data = Reader { bytes, at: 0 };
    match data.byte()? {
        0xd0 | 0xd1 => {}
        other => return Err(format!("it is of the unknown kind {other:#x}")),
    }
    let mut last = [0u32; 2];
    let mut out = Indices::new(stride, count)?;
    for _ in 0..count {
        let v = data.varint()?;
        let which = &mut last[(v & 1) as usize];
        let step = v >> 1;
        *which = which.wrapping_add((step >> 1) ^ (step & 1).wrapping_neg());
        out.push([*which])?;
    }
    Ok(out.bytes)
}

/// Indices of two or four bytes.
struct Indices {
    stride: usize,
    bytes: Vec<u8>,
}

impl Indices {
    fn new(stride: usize, count: usize) -> Result<Self, String> {
        match stride {
            2 | 4 => Ok(Self { stride, bytes: Vec::with_capacity(stride * count) }),
            _ => Err(format!("indices of {stride} bytes cannot be in it")),
        }
    }

    fn push<const N: usize>(&mut self, corners: [u32; N]) -> Result<(), String> {
        for corner in corners {
            if self.stride == 4 {
                self.bytes.extend(corner.to_le_bytes());
            } else {
                let corner =
                    u16::try_from(corner).map_err(|_| format!("index {corner} has no room in 16 bits"))?;
                self.bytes.extend(corner.to_le_bytes());
            }
        }
        Ok(())
    }
}

/// Undoes what was done to elements before they were compressed. Directions of normals and tangents stay as they are: no
/// creature needs them.
pub(super) fn filter(name: &str, bytes: &mut [u8], stride: usize) -> Result<(), String> {
    match name {
        "NONE" | "OCTAHEDRAL" => Ok(()),
        "QUATERNION" if stride == 8 => {
            bytes.chunks_exact_mut(8).for_each(quaternion);
            Ok(())
        }
        "EXPONENTIAL" => {
            bytes.chunks_exact_mut(4).for_each(exponential);
            Ok(())
        }
        _ => Err(format!("its filter is {name:?} over {stride} bytes, which is unknown")),
    }
}

/// Three components of a quaternion at the scale of the fourth, which is the largest and told by two bits.
fn quaternion(bytes: &mut [u8]) {
    let number = |k: usize| i16::from_le_bytes([bytes[2 * k], bytes[2 * k + 1]]);
    let largest = usize::from(number(3).unsigned_abs() & 3);
    let scale = std::f64::consts::FRAC_1_SQRT_2 / f64::from(number(3) | 3);
    let [x, y, z] = [0, 1, 2].map(|k| f64::from(number(k)) * scale);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    for (k, component) in [(1, x), (2, y), (3, z), (0, w)] {
        #[allow(clippy::cast_possible_truncation)] // at most 1; the cast saturates
        let short = (component * 32767.0).round() as i16;
        let at = 2 * ((largest + k) % 4);
        bytes[at..at + 2].copy_from_slice(&short.to_le_bytes());
    }
}

/// A mantissa of 24 bits and an exponent of two.
fn exponential(bytes: &mut [u8]) {
    let word = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let (exponent, mantissa) = (word >> 24, (word << 8) >> 8);
    #[allow(clippy::cast_possible_truncation)] // a float of 32 bits is what it was
    let value = (f64::from(mantissa) * gambol_model::math::powi(2.0, exponent)) as f32;
    bytes.copy_from_slice(&value.to_le_bytes());
}

/// What the reference encoder writes (npm `meshoptimizer` 1.3.0) is read as what went in.
#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLES: [u32; 18] = [0, 1, 2, 2, 1, 3, 4, 6, 5, 7, 8, 9, 9, 8, 2, 300, 2, 1];
    const PACKED_TRIANGLES: [u8; 31] = [
        0xe1, 0xf0, 0x10, 0xfe, 0xff, 0x17, 0xbf, 0xf0, 0x0c, 0xff, 0x02, 0x02, 0x02, 0xc6, 0x04, 0x00, 0x76,
        0x87, 0x56, 0x67, 0x78, 0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
    ];
    const PACKED_INDICES: [u8; 24] = [
        0xd1, 0x00, 0x04, 0x04, 0x00, 0x02, 0x08, 0x04, 0x08, 0x02, 0x08, 0x04, 0x04, 0x00, 0x02, 0x16, 0xb1,
        0x09, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,
    ];
    const PACKED_VERTICES: &[u8] = &[
        0xa0, 0x2a, 0x0e, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee,
        0xee, 0xee, 0xee, 0xee, 0xee, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x20, 0x00, 0x00, 0x1f, 0x00, 0x3e,
        0xba, 0xc9, 0x4d, 0x2e, 0xaa, 0xd9, 0x5d, 0x1e, 0x9a, 0xe9, 0x6d, 0x0e, 0x8a, 0xf9, 0x7d, 0x01, 0x7a,
        0xf6, 0x8d, 0x11, 0x6a, 0xe6, 0x9d, 0x21, 0x5a, 0xd6, 0xad, 0x31, 0x4a, 0xc6, 0xff, 0xff, 0x00, 0x00,
        0xbd, 0x41, 0x3a, 0xb6, 0xcd, 0x51, 0x2a, 0xa6, 0x1a, 0x00, 0x02, 0x04, 0x22, 0x44, 0x64, 0x66, 0x68,
        0x86, 0xa8, 0xaa, 0xac, 0xac, 0xce, 0xce, 0xef, 0x10, 0xff, 0xff, 0x00, 0x00, 0x10, 0x0e, 0x10, 0x12,
        0x10, 0x12, 0x12, 0x14, 0x00, 0x00, 0x15, 0x30, 0x3c, 0x0f, 0x03, 0x08, 0x11, 0x12, 0x1b, 0x1c, 0x25,
        0xc0, 0xf0, 0x3c, 0x0f, 0x26, 0x2f, 0x30, 0x39, 0x3a, 0x43, 0x44, 0x03, 0xc0, 0x00, 0x00, 0x4d, 0x4e,
        0x15, 0x20, 0x18, 0x06, 0x01, 0x80, 0x60, 0x18, 0x06, 0x01, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff,
    ];

    fn longs(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    #[test]
    fn what_the_reference_packs_is_read() {
        // The encoder turns triangles about their corners, which leaves them what they are.
        let turned = |corners: &[u32]| -> Vec<[u32; 3]> {
            let turn = |t: &[u32]| {
                let first = (0..3).min_by_key(|&k| t[k]).unwrap_or(0);
                [t[first], t[(first + 1) % 3], t[(first + 2) % 3]]
            };
            corners.chunks_exact(3).map(turn).collect()
        };
        let read = longs(&triangles(&PACKED_TRIANGLES, 4, TRIANGLES.len()).unwrap());
        assert_eq!(turned(&read), turned(&TRIANGLES));
        assert_eq!(longs(&indices(&PACKED_INDICES, 4, TRIANGLES.len()).unwrap()), TRIANGLES);
        let element =
            |i: u32| [i * 7, (i * i * 31) & 0xffff, 0, if i.is_multiple_of(5) { 65535 - i } else { 3 }];
        let wanted: Vec<u8> =
            (0..40).flat_map(element).flat_map(|x| u16::try_from(x).unwrap().to_le_bytes()).collect();
        assert_eq!(vertices(PACKED_VERTICES, 8, 40).unwrap(), wanted);
    }

    #[test]
    fn broken_streams_are_errors() {
        for end in 0..PACKED_VERTICES.len() - 1 {
            let _ = vertices(&PACKED_VERTICES[..end], 8, 40); // no panic
            let _ = vertices(&PACKED_VERTICES[..end], 8, 4000);
        }
        for end in 0..PACKED_TRIANGLES.len() {
            assert!(triangles(&PACKED_TRIANGLES[..end], 4, 3000).is_err());
            let _ = triangles(&PACKED_TRIANGLES[..end], 4, TRIANGLES.len());
        }
        assert!(indices(&PACKED_INDICES, 4, 100).is_err());
        assert!(triangles(&PACKED_TRIANGLES, 2, 17).is_err() && vertices(PACKED_VERTICES, 3, 4).is_err());
    }

    #[test]
    fn filters_are_undone() {
        // 1.5 = 3 · 2⁻¹
        let mut bytes = ((-1i32 << 24) | 3).to_le_bytes();
        filter("EXPONENTIAL", &mut bytes, 4).unwrap();
        assert_eq!(f32::from_le_bytes(bytes), 1.5);
        // The identity: w is the largest, the others are zero.
        let mut bytes: Vec<u8> = [0i16, 0, 0, 0x7fff].into_iter().flat_map(i16::to_le_bytes).collect();
        filter("QUATERNION", &mut bytes, 8).unwrap();
        let components: Vec<i16> = bytes.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
        assert_eq!(components, [0, 0, 0, 32767]);
    }
}
